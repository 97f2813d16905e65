import { api } from './api.js';
import { asking, changeAccount, choosing, chosen, lastMessage, play } from './actions.js';
import { plain, toast } from './dom.js';
import { submitFlow } from './flowForm.js';
import { page, state } from './state.js';

const ofTemplate = async (input, done) => {
  await play({ template_id: chosen('template'), ...input }, done);
  await page.reload();
};
const templateStatus = (word, more) =>
  ofTemplate({ kind: 'template_status', event: word, ...more }, `template ${plain(word)}`);
const templateIs = (word, more) => () => templateStatus(word, more);

const chosenTemplate = () => state.account.templates.find((item) => item.id === chosen('template'));
const isBody = (part) => part.type === 'BODY';
const bodyText = () => chosenTemplate()?.components.find(isBody)?.text ?? '';
const withBody = (text) =>
  (chosenTemplate()?.components ?? []).map((part) => (isBody(part) ? { ...part, text } : part));

const categories = ['UTILITY', 'MARKETING', 'AUTHENTICATION'];
const rejections = [
  'INVALID_FORMAT',
  'ABUSIVE_CONTENT',
  'INCORRECT_CATEGORY',
  'PROMOTIONAL',
  'SCAM',
  'TAG_CONTENT_MISMATCH',
  'CATEGORY_NOT_AVAILABLE',
];
const otherStatuses = [
  'PENDING',
  'IN_APPEAL',
  'FLAGGED',
  'LOCKED',
  'LIMIT_EXCEEDED',
  'ARCHIVED',
  'UNARCHIVED',
  'PENDING_DELETION',
  'DELETED',
];

const body = { type: 'BODY', text: 'New in the garden this week' };
const picture = { type: 'HEADER', format: 'IMAGE' };
const tapped = (type) => ({ type: 'BUTTONS', buttons: [{ type, text: 'Look' }] });
/** Templates that need more than texts. */
const rareTemplates = {
  carousel: [
    body,
    { type: 'CAROUSEL', cards: [1, 2].map((n) => ({ components: [picture, { type: 'BODY', text: `No. ${n}` }] })) },
  ],
  limited_time_offer: [
    body,
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Today only', has_expiration: true } },
  ],
  several_products: [body, tapped('MPM')],
  one_product: [{ type: 'HEADER', format: 'PRODUCT' }, body, tapped('SPM')],
  order_details: [body, tapped('ORDER_DETAILS')],
  place: [{ type: 'HEADER', format: 'LOCATION' }, body],
};
async function addTemplate(name) {
  const template = { name, category: 'MARKETING', status: 'APPROVED', components: rareTemplates[name] };
  await changeAccount({ templates: [template] }, `${plain(name)} is there.`);
  const { id } = state.account.templates.find((item) => item.name === name);
  await play({ template_id: id, kind: 'template_status', event: 'APPROVED' }, `template ${plain(name)}`);
}

const templates = {
  id: 'templates',
  title: 'Templates',
  select: {
    id: 'template',
    label: 'Template',
    options: () =>
      state.account.templates.map((item) => [`${item.name} (${item.language}) ${plain(item.status)}`, item.id]),
  },
  parts: [
    [
      'Status',
      [
        ['Approve', templateIs('APPROVED')],
        ['Reject…', choosing('Why it is rejected', rejections, (reason) => templateStatus('REJECTED', { reason }))],
        ['Pause', templateIs('PAUSED', { other_info: { title: 'FIRST_PAUSE', description: 'Low quality' } })],
        [
          'Reinstate',
          templateIs('REINSTATED', { other_info: { title: 'UNPAUSE', description: 'Quality is fine again' } }),
        ],
        ['Add one that needs more…', choosing('What it needs', Object.keys(rareTemplates), addTemplate)],
        ['Disable', templateIs('DISABLED', { disable_info: { disable_date: '2031-01-01' } })],
        ['Other status…', choosing('Template status', otherStatuses, (word) => templateStatus(word))],
      ],
    ],
    [
      'Properties',
      [
        [
          'Category…',
          choosing('New category', categories, (to) =>
            ofTemplate({ kind: 'template_category', new_category: to }, `category ${plain(to)}`),
          ),
        ],
        [
          'Category notice…',
          choosing('Category that is coming', categories, (to) =>
            ofTemplate({ kind: 'template_category', correct_category: to }, `notice of category ${plain(to)}`),
          ),
        ],
        [
          'Quality…',
          choosing('Quality of the template', ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'], (score) =>
            ofTemplate({ kind: 'template_quality', new_quality_score: score }, `template quality ${plain(score)}`),
          ),
        ],
        [
          'Components…',
          asking(
            'Text of the template',
            () => [{ name: 'body', label: 'Body', long: true, value: bodyText() }],
            ({ body }) => ofTemplate({ kind: 'template_components', components: withBody(body) }, 'changed components'),
          ),
        ],
      ],
    ],
  ],
};

const ofFlow = async (input, done) => {
  await play({ kind: 'flow_status', flow_id: chosen('flow'), ...input }, done);
  await page.reload();
};
const flowIs = (word) => () => ofFlow({ new_status: word }, `flow ${plain(word)}`);
const flowWarnings = [
  'CLIENT_ERROR_RATE',
  'ENDPOINT_ERROR_RATE',
  'ENDPOINT_LATENCY',
  'ENDPOINT_AVAILABILITY',
  'FLOW_VERSION_EXPIRY_WARNING',
];

/** Submits the chosen flow as the customer, in answer to the last message that offered it. */
async function submitChosenFlow() {
  const offered = (message) =>
    (message.buttons ?? []).find((button) => String(button.flow?.flow_id) === chosen('flow'));
  const wamid = lastMessage((message) => !message.mine && !message.lost && offered(message));
  if (!wamid) {
    toast('This flow was not sent to the customer yet: send it by the API, then submit it here or on the phone.');
    return;
  }
  const message = state.chat.messages.find((item) => item.wamid === wamid);
  await submitFlow(offered(message).flow, wamid);
}

const flows = {
  id: 'flows',
  title: 'Flows',
  select: {
    id: 'flow',
    label: 'Flow',
    options: () => state.account.flows.map((item) => [`${item.name} ${plain(item.status)}`, item.id]),
  },
  parts: [
    ['Customer', [['Fill in and submit…', submitChosenFlow]]],
    [
      'Status',
      [
        ['Publish', flowIs('PUBLISHED')],
        ['Throttle', flowIs('THROTTLED')],
        ['Block', flowIs('BLOCKED')],
        ['Deprecate', flowIs('DEPRECATED')],
      ],
    ],
    [
      'Monitoring',
      [
        [
          'Warning…',
          choosing('Warning', flowWarnings, (word) =>
            ofFlow({ event: word, threshold: 10, alert_state: 'ACTIVATED' }, plain(word)),
          ),
        ],
      ],
    ],
    [
      'Definition',
      [
        [
          'Rename…',
          asking(
            'Name of the flow',
            () => {
              const flow = state.account.flows.find((item) => item.id === chosen('flow'));
              return [{ name: 'name', label: 'Name', value: flow?.name }];
            },
            ({ name }) =>
              changeAccount({ flows: [{ id: chosen('flow'), name }] }, 'Renamed; a read of the flow shows it.'),
          ),
        ],
        [
          'Remove',
          async () => {
            await api('DELETE', `/flows/${encodeURIComponent(chosen('flow'))}`);
            await page.reload();
            toast('The platform no longer has this flow.');
          },
        ],
      ],
    ],
  ],
};

const chosenProduct = () => state.account.products.find((item) => item.id === chosen('product')) ?? {};
const ofProduct = (input, done) =>
  changeAccount({ products: [{ id: chosen('product'), ...input }] }, `${done} A sync shows it.`);

const products = {
  id: 'products',
  title: 'Catalogue',
  select: {
    id: 'product',
    label: 'Product',
    options: () => state.account.products.map((item) => [`${item.name} ${item.price}, ${item.availability}`, item.id]),
  },
  parts: [
    [
      null,
      [
        ['In stock', () => ofProduct({ availability: 'in stock' }, 'In stock.')],
        ['Out of stock', () => ofProduct({ availability: 'out of stock' }, 'Out of stock.')],
        [
          'Edit…',
          asking(
            'Product',
            () => {
              const { name, price, currency } = chosenProduct();
              return [
                { name: 'name', label: 'Name', value: name },
                { name: 'price', label: 'Price', value: price },
                { name: 'currency', label: 'Currency', value: currency },
              ];
            },
            (given) => ofProduct(given, 'Changed.'),
          ),
        ],
        [
          'New…',
          asking(
            'New product',
            [
              { name: 'retailer_id', label: 'Own id', placeholder: 'GG-RAKE' },
              { name: 'name', label: 'Name', placeholder: 'Rake' },
              { name: 'price', label: 'Price', placeholder: '$12.00' },
            ],
            (given) => given.retailer_id && changeAccount({ products: [given] }, 'Added. A sync shows it.'),
          ),
        ],
        [
          'Remove',
          async () => {
            await api('DELETE', `/products/${encodeURIComponent(chosen('product'))}`);
            await page.reload();
            toast('Removed. A sync shows it.');
          },
        ],
      ],
    ],
  ],
};

const limits = ['TIER_250', 'TIER_2K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED'];

const number = {
  id: 'number-events',
  title: 'Business number',
  parts: [
    [
      null,
      [
        [
          'Quality…',
          asking(
            'Quality of the number',
            [
              { name: 'quality_rating', label: 'Quality', options: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] },
              { name: 'current_limit', label: 'Messaging limit', options: limits },
              {
                name: 'event',
                label: 'Event',
                options: ['UPGRADE', 'DOWNGRADE', 'ONBOARDING', 'FLAGGED', 'UNFLAGGED'],
              },
            ],
            async (given) => {
              await play({ kind: 'phone_number_quality', ...given }, `quality ${plain(given.quality_rating)}`);
              await page.reload();
            },
          ),
        ],
        [
          'Name change…',
          asking(
            'Name of the number',
            () => [
              { name: 'name', label: 'Verified name', value: state.phone.verified_name },
              {
                name: 'decision',
                label: 'Decision',
                options: ['APPROVED', 'DECLINED', 'REJECTED', 'PENDING_REVIEW'],
              },
            ],
            async ({ name, decision }) => {
              await play({ kind: 'phone_number_name', name, decision }, `name ${plain(decision)}`);
              await page.reload();
            },
          ),
        ],
        [
          'User name…',
          asking(
            'User name of the business',
            [
              { name: 'username', label: 'User name', placeholder: 'green.garden' },
              { name: 'status', label: 'Status', options: ['approved', 'reserved', 'deleted'] },
            ],
            ({ username, status }) =>
              play({ kind: 'business_username', username: username || 'green.garden', status }, `user name ${status}`),
          ),
        ],
        [
          'Security…',
          choosing('Two-step code', ['PIN_CHANGED', 'PIN_RESET_REQUEST', 'PIN_RESET_SUCCESS'], (word) =>
            play({ kind: 'security', event: word }, plain(word)),
          ),
        ],
      ],
    ],
  ],
};

/** What some updates of an account carry besides their name. */
const accountUpdates = {
  ACCOUNT_VIOLATION: { violation_info: { violation_type: 'ALCOHOL' } },
  ACCOUNT_RESTRICTION: {
    restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1924992000 }],
  },
  DISABLED_UPDATE: { ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: 'January 1, 2031' } },
  ACCOUNT_DELETED: {},
  PARTNER_ADDED: {},
  PARTNER_REMOVED: {},
  PARTNER_APP_INSTALLED: {},
  ACCOUNT_OFFBOARDED: {},
  ACCOUNT_RECONNECTED: {},
};
const capabilities = [
  ['250', 250],
  ['2,000', 2000],
  ['10,000', 10000],
  ['100,000', 100000],
  ['Unlimited', -1],
];

const account = {
  id: 'account',
  title: 'Business account',
  parts: [
    [
      null,
      [
        [
          'Account update…',
          choosing('Account update', Object.keys(accountUpdates), (word) =>
            play({ kind: 'account_update', event: word, ...accountUpdates[word] }, plain(word)),
          ),
        ],
        [
          'Alert…',
          choosing('How bad', ['INFORMATIONAL', 'WARNING', 'CRITICAL'], (word) =>
            play({ kind: 'account_alert', alert_severity: word }, 'account alert'),
          ),
        ],
        [
          'Review…',
          choosing('Decision of the review', ['APPROVED', 'REJECTED', 'PENDING', 'DEFERRED'], (word) =>
            play({ kind: 'account_review', decision: word }, 'account review'),
          ),
        ],
        [
          'Capability…',
          choosing('Conversations a day', capabilities, (most) =>
            play({ kind: 'business_capability', max_daily_conversations_per_business: most }, 'new capability'),
          ),
        ],
        ['Errors of the account', () => play({ kind: 'account_errors', code: 131031 }, 'errors of the account')],
        [
          'Unknown webhook',
          () => play({ kind: 'raw', field: 'something_new', value: { hello: 'world' } }, 'an unknown webhook'),
        ],
      ],
    ],
  ],
};

/** What happens to what the business has at the platform. */
export const businessGroups = [templates, flows, products, number, account];
