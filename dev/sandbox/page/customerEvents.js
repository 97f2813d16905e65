import { api } from './api.js';
import { asking, changeUser, choosing, lastFromBusiness, lastOwn, lastSent, play } from './actions.js';
import { toast } from './dom.js';
import { submitFlow } from './flowForm.js';
import { sendMessage, state } from './state.js';

/** Makes an action about a message of the business. */
function about(action, find = lastFromBusiness) {
  return async () => {
    const wamid = find();
    if (wamid) await action(wamid);
    else toast('The business has not written to this customer yet.');
  };
}

const sends = (message, more, find) => () => sendMessage(message, find ? find() : null, more);
const text = (body, more, find) => sends({ type: 'text', text: { body } }, more, find);
const reply = (interactive) => sends({ type: 'interactive', interactive }, null, lastFromBusiness);
const button = { type: 'button', button: { payload: 'YES', text: 'Yes' } };

const reaction = (emoji) =>
  about((wamid) => sendMessage({ type: 'reaction', reaction: { message_id: wamid, ...(emoji ? { emoji } : {}) } }));

const referral = (more) => ({
  source_url: 'https://fb.me/spring-sale',
  source_id: '120210000000000001',
  source_type: 'ad',
  headline: 'Spring sale',
  body: 'Everything for the garden',
  media_type: 'image',
  image_url: 'https://scontent.example/ad.jpg',
  ...more,
});

function product() {
  const { catalog_id, products } = state.account;
  return { catalog_id, product_retailer_id: products[0]?.retailer_id ?? 'SKU-1' };
}

const unreadable = [
  {
    code: 131051,
    title: 'Message type is currently not supported.',
    message: 'Message type is currently not supported.',
    error_data: { details: 'Unsupported' },
  },
];

/** Why the platform cannot show a message, in its words. */
const reasons = [
  ['A poll (131051)', 'poll', 131051, 'Message type is currently not supported.'],
  ['Open it on the phone (131060)', 'unknown', 131060, 'This message is currently unavailable. Open it on your phone.'],
  ['A view-once photo (131051)', 'view_once', 131051, 'View once messages are not supported.'],
];
const unsupported = ([, type, code, details]) =>
  sendMessage({
    type: 'unsupported',
    unsupported: { type },
    errors: [{ code, title: details, message: details, error_data: { details } }],
  });

/** Ten photos that were chosen together: ten messages within a second. */
async function album() {
  for (let place = 1; place <= 10; place += 1)
    await sendMessage({ type: 'image', image: { caption: `Photo ${place}` } });
}

/** Makes an action that lets choose one of what programs stumble over; the sandbox lists it. */
const odd = (title, kind, act) => async () => {
  const listed = (await api('GET', '/oddities'))[kind];
  await choosing(
    title,
    listed.map(([label], index) => [label, index]),
    (index) => act(listed[index][1]),
  )();
};

/** Changes or takes back the customer's own last message. */
const edit = () =>
  sendMessage({
    type: 'edit',
    edit: {
      original_message_id: lastOwn() ?? 'wamid.unknown',
      message: { type: 'text', text: { body: 'What I meant to say' } },
    },
  });
const revoke = () => sendMessage({ type: 'revoke', revoke: { original_message_id: lastOwn() ?? 'wamid.unknown' } });

const sending = {
  id: 'sends',
  title: 'This customer sends',
  user: true,
  parts: [
    [
      'Media and cards',
      [
        ['Photo', sends({ type: 'image' })],
        ['Album of ten', album],
        ['Voice message', sends({ type: 'audio' })],
        ['Video', sends({ type: 'video' })],
        ['Document', sends({ type: 'document' })],
        ['Sticker', sends({ type: 'sticker' })],
        ['Location', sends({ type: 'location' })],
        ['Contact card', sends({ type: 'contacts' })],
        ['Contact, as asked for', sends({ type: 'contacts', origin: 'contact_request' })],
        ['Order', sends({ type: 'order' })],
      ],
    ],
    [
      'Answers to the business',
      [
        ['Reply', text('An answer', null, lastFromBusiness)],
        ['Reaction', reaction('👍')],
        ['Remove reaction', reaction(null)],
        ['Template button', sends(button, null, lastFromBusiness)],
        ['Button without context', sends(button)],
        ['Button reply', reply({ type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } })],
        [
          'List reply',
          reply({
            type: 'list_reply',
            list_reply: { id: 'row-1', title: 'First row', description: 'From a list' },
          }),
        ],
        ['Flow reply', () => submitFlow({ flow_token: 'unused' }, lastFromBusiness())],
      ],
    ],
    [
      'Where it comes from',
      [
        ['From an ad', text('I saw your ad', { referral: true })],
        ['From an ad in Status', text('I saw your status', { referral: referral({}) })],
        ['From a post', text('I saw your post', { referral: referral({ source_type: 'post', source_id: 'post-1' }) })],
        ['About a product', () => text('Is this still available?', { context: { referred_product: product() } })()],
        ['Forwarded', text('Forwarded text', { context: { forwarded: true } })],
        ['Forwarded often', text('Forwarded many times', { context: { frequently_forwarded: true } })],
        ['In a group', text('Hello group', { group_id: 'Y2FwaV9ncm91cDox' })],
        ['Without contact data', text('Hello', { omit_contacts: true })],
      ],
    ],
    [
      'Odd, and real',
      [
        ['Tap a button…', odd('Tap', 'taps', (message) => sendMessage(message, lastFromBusiness()))],
        ['Odd text…', odd('Text', 'texts', (body) => sendMessage({ type: 'text', text: { body } }))],
        [
          'Odd file name…',
          odd('Document named', 'fileNames', (filename) => sendMessage({ type: 'document', document: { filename } })),
        ],
      ],
    ],
    [
      'Rare types',
      [
        ['Edit', edit],
        ['Delete for all', revoke],
        ['Ephemeral', sends({ type: 'ephemeral', errors: unreadable })],
        ['Welcome request', sends({ type: 'request_welcome' })],
        [
          'Unsupported…',
          choosing(
            'Why it cannot be shown',
            reasons.map(([label], place) => [label, place]),
            (place) => unsupported(reasons[place]),
          ),
        ],
        ['Unknown', sends({ type: 'unknown' })],
        [
          'Without its content',
          sends(
            { type: 'interactive' },
            { omit_content: true, errors: [{ code: 131000, title: 'Unsupported webhook payload' }] },
          ),
        ],
        ['Type of the future', sends({ type: 'hologram', hologram: { id: '1' } })],
      ],
    ],
  ],
};

const customer = () => state.chat?.user ?? {};

const person = {
  id: 'person',
  title: 'This customer',
  user: true,
  parts: [
    [
      'Identity',
      [
        [
          'Change number…',
          asking(
            'Change number',
            [
              { name: 'phone', label: 'New phone', placeholder: '+49 151 1234567', type: 'tel' },
              { name: 'type', label: 'Announced as', options: ['user_changed_number', 'customer_changed_number'] },
            ],
            ({ phone, type }) => phone && play({ kind: 'system', type, phone }, 'number change'),
          ),
        ],
        ['New user id', () => play({ kind: 'system', type: 'user_changed_user_id' }, 'new user id')],
        ['New security code', () => play({ kind: 'system', type: 'customer_identity_changed' }, 'new security code')],
        [
          'Hide or show phone',
          () => {
            const { hidden } = customer();
            return changeUser(
              { hidden: !hidden },
              `The phone ${hidden ? 'shows' : 'is hidden'} from the next message on.`,
            );
          },
        ],
        [
          'User name…',
          asking(
            'User name (empty removes it)',
            () => [{ name: 'username', label: 'User name', value: customer().username ?? '' }],
            ({ username }) =>
              play({ kind: 'username', username: username || null }, 'user name, which the next message carries'),
          ),
        ],
        [
          'Profile name…',
          asking(
            'Profile name',
            () => [{ name: 'name', label: 'Name', value: customer().name }],
            ({ name }) => name && changeUser({ name }, 'The next message carries the name.'),
          ),
        ],
        [
          'Odd profile name…',
          odd('Name', 'names', (name) => changeUser({ name }, 'The next message carries the name.')),
        ],
        [
          'Spell the number otherwise',
          () => changeUser({ respell: true }, 'Numbers of Brazil, Mexico and Argentina have another spelling now.'),
        ],
      ],
    ],
    [
      'Marketing and reach',
      [
        ['Stop marketing', () => play({ kind: 'user_preferences', value: 'stop' }, 'marketing stopped')],
        ['Resume marketing', () => play({ kind: 'user_preferences', value: 'resume' }, 'marketing resumed')],
        ['Sign up', () => play({ kind: 'user_preferences', value: 'signup' }, 'signed up for marketing')],
        [
          'Block or unblock',
          () => {
            const { blocked } = customer();
            return changeUser({ blocked: !blocked }, blocked ? 'Unblocked.' : 'Blocked: nothing arrives any more.');
          },
        ],
        ['Close the window', () => changeUser({ windows: {} }, 'The 24 hours are over.')],
      ],
    ],
  ],
};

const status = (word, more) =>
  about((wamid) => play({ kind: 'status', wamid, status: word, ...more }, `status ${word}`), lastSent);
const payment = (word) => about((wamid) => play({ kind: 'payment', wamid, status: word }, `payment ${word}`), lastSent);

const failures = [
  ['131026: undeliverable', 131026],
  ['131047: window closed', 131047],
  ['131049: marketing cap', 131049],
  ['131050: stopped marketing', 131050],
  ['130472: experiment', 130472],
  ['131053: media upload', 131053],
];

const statuses = {
  id: 'statuses',
  title: 'Status of the last message',
  user: true,
  parts: [
    [
      'Delivery',
      [
        ['Sent', status('sent')],
        ['Delivered', status('delivered')],
        ['Read', status('read')],
        ['Played', status('played')],
        ['Failed…', choosing('Why it failed', failures, (code) => status('failed', { code })())],
      ],
    ],
    [
      'Payment',
      [
        ['Paid', payment('captured')],
        ['Payment pending', payment('pending')],
        ['Payment failed', payment('failed')],
      ],
    ],
  ],
};

/** Changes or deletes what was last written on the phone. */
let onPhone = 'wamid.unknown';
const correct = (type) =>
  play(
    {
      kind: 'phone_app',
      message: {
        type,
        [type]: {
          original_message_id: onPhone,
          ...(type === 'edit' ? { message: { type: 'text', text: { body: 'I meant to say this' } } } : {}),
        },
      },
    },
    type === 'edit' ? 'a change on the phone' : 'a deletion on the phone',
  );
async function answerOnPhone({ text: words }) {
  onPhone = `wamid.phone-${Date.now()}`;
  await play({ kind: 'phone_app', id: onPhone, text: words }, 'an answer on the phone');
}

const elsewhere = {
  id: 'elsewhere',
  title: 'Beside the product',
  user: true,
  parts: [
    [
      'The shop',
      [
        [
          'Answers on the phone…',
          asking(
            'Answer in the app on the phone',
            [{ name: 'text', label: 'Text', value: 'I answer from my phone' }],
            answerOnPhone,
          ),
        ],
        ['Edits it there', () => correct('edit')],
        ['Deletes it there', () => correct('revoke')],
        ['What was said before', () => play({ kind: 'history' }, 'the history of the phone')],
        ['Address book', () => play({ kind: 'contacts_sync' }, 'a contact of the phone')],
      ],
    ],
    [
      "The platform's agent",
      [
        ['Takes the thread', () => play({ kind: 'agent_takes' }, 'the agent has the thread')],
        ['Answers', () => play({ kind: 'agent_writes', text: 'I am the agent' }, 'an answer of the agent')],
        ['Passes it to us', () => play({ kind: 'agent_passes' }, 'the thread is ours')],
      ],
    ],
    [
      'Calls',
      [
        ['Missed', () => play({ kind: 'call' }, 'a missed call')],
        ['Answered', () => play({ kind: 'call', seconds: 63 }, 'a call')],
      ],
    ],
  ],
};

/** What a customer does, and what happens with them elsewhere. */
export const customerGroups = [sending, person, statuses, elsewhere];
