/** Everything of upstream 2.5 to 2.9 that the page can play, by name, in groups; drawn by the play panel. */
export const EVENTS_SCRIPT = String.raw`
window.sandboxEvents = function (s) {
function event(input, told) { return s.api('POST', '/events', Object.assign(s.base(), input)).then(s.refresh).then(function () { s.toast('Played: ' + told); }); }
function user(input, told) { return s.api('POST', '/users', { business_account_id: s.state.account.business_account_id, user: Object.assign({ key: s.state.user }, input) }).then(s.refresh).then(function () { s.toast(told); }); }
function current() { return s.state.chat ? s.state.chat.user : null; }
function last(fits) {
  var found = (s.state.chat ? s.state.chat.messages : []).filter(function (m) { return m.type !== 'reaction' && fits(m); });
  return found.length > 0 ? found[found.length - 1].wamid : null;
}
function lastFromBusiness() { return last(function (m) { return !m.mine && !m.lost; }); }
function lastSent() { return last(function (m) { return !m.mine; }); }
function lastOwn() { return last(function (m) { return m.mine && !m.system; }); }
function aboutBusiness(action, find) { return function () { var wamid = (find || lastFromBusiness)(); if (!wamid) { s.toast('The business has not written to this customer yet.'); return; } return action(wamid); }; }
function sends(message, more, about) { return function () { return s.sendMessage(message, about ? about() : null, more); }; }
function text(body, more, about) { return sends({ type: 'text', text: { body: body } }, more, about); }
function reply(interactive) { return sends({ type: 'interactive', interactive: interactive }, null, lastFromBusiness); }
function choose(title, words, act) {
  return async function () {
    var word = await s.pick(title, words.map(function (item) { return Array.isArray(item) ? item : [item, item]; }));
    if (word) return act(word);
  };
}
function fields(title, wanted, act) { return async function () { var values = await s.ask(title, typeof wanted === 'function' ? wanted() : wanted); if (values) return act(values); }; }
function whole(text) { try { return JSON.parse(text); } catch (error) { s.toast('That is not JSON.'); return null; } }

window.flowReply = async function (flow, about) {
  var known = s.state.account.flows.filter(function (item) { return item.id === String(flow.flow_id); })[0];
  var given = await s.ask('Answer the form', [{ name: 'json', label: 'Response (JSON)', long: true, value: JSON.stringify(known ? known.sample : { name: 'Anna', comment: 'Great' }, null, 2) }]);
  if (!given) return;
  var parsed = whole(given.json);
  if (!parsed) return;
  parsed.flow_token = flow.flow_token;
  return s.sendMessage({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify(parsed) } } }, about);
};

function referral(more) { return Object.assign({ source_url: 'https://fb.me/spring-sale', source_id: '120210000000000001', source_type: 'ad', headline: 'Spring sale', body: 'Everything for the garden', media_type: 'image', image_url: 'https://scontent.example/ad.jpg' }, more); }
function product() { var first = s.state.account.products[0]; return { catalog_id: s.state.account.catalog_id, product_retailer_id: first ? first.retailer_id : 'SKU-1' }; }
function unreadable(code) { return [{ code: code, title: 'Message type is currently not supported.', message: 'Message type is currently not supported.', error_data: { details: 'Unsupported' } }]; }
function reaction(emoji) { return aboutBusiness(function (wamid) { return s.sendMessage({ type: 'reaction', reaction: emoji === null ? { message_id: wamid } : { message_id: wamid, emoji: emoji } }); }); }

var sending = { id: 'sends', title: 'This customer sends', user: true, parts: [
  ['Media and cards', [['Photo', sends({ type: 'image' })], ['Voice message', sends({ type: 'audio' })], ['Video', sends({ type: 'video' })], ['Document', sends({ type: 'document' })], ['Sticker', sends({ type: 'sticker' })], ['Location', sends({ type: 'location' })],
    ['Contact card', sends({ type: 'contacts' })], ['Contact, as asked for', sends({ type: 'contacts', origin: 'contact_request' })], ['Order', sends({ type: 'order' })]]],
  ['Answers to the business', [['Reply', text('An answer', null, lastFromBusiness)], ['Reaction', reaction('👍')], ['Remove reaction', reaction(null)],
    ['Template button', sends({ type: 'button', button: { payload: 'YES', text: 'Yes' } }, null, lastFromBusiness)], ['Button without context', sends({ type: 'button', button: { payload: 'YES', text: 'Yes' } })],
    ['Button reply', reply({ type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } })], ['List reply', reply({ type: 'list_reply', list_reply: { id: 'row-1', title: 'First row', description: 'From a list' } })],
    ['Flow reply', function () { return window.flowReply({ flow_token: 'unused' }, lastFromBusiness()); }]]],
  ['Where it comes from', [['From an ad', text('I saw your ad', { referral: true })], ['From an ad in Status', text('I saw your status', { referral: referral({}) })], ['From a post', text('I saw your post', { referral: referral({ source_type: 'post', source_id: 'post-1' }) })],
    ['About a product', function () { return text('Is this still available?', { context: { referred_product: product() } })(); }], ['Forwarded', text('Forwarded text', { context: { forwarded: true } })], ['Forwarded often', text('Forwarded many times', { context: { frequently_forwarded: true } })],
    ['In a group', text('Hello group', { group_id: 'Y2FwaV9ncm91cDox' })], ['Without contact data', text('Hello', { omit_contacts: true })]]],
  ['Rare types', [['Edit', function () { return s.sendMessage({ type: 'edit', edit: { original_message_id: lastOwn() || 'wamid.unknown', message: { type: 'text', text: { body: 'Edited text' } } } }); }],
    ['Delete for all', function () { return s.sendMessage({ type: 'revoke', revoke: { original_message_id: lastOwn() || 'wamid.unknown' } }); }], ['Ephemeral', sends({ type: 'ephemeral', errors: unreadable(131051) })], ['Welcome request', sends({ type: 'request_welcome' })],
    ['Unsupported (poll)', sends({ type: 'unsupported' })], ['Unknown', sends({ type: 'unknown' })], ['Without its content', sends({ type: 'interactive' }, { omit_content: true, errors: [{ code: 131000, title: 'Unsupported webhook payload' }] })],
    ['Type of the future', sends({ type: 'hologram', hologram: { id: '1' } })]]],
] };

var person = { id: 'person', title: 'This customer', user: true, parts: [
  ['Identity', [['Change number…', fields('Change number', [{ name: 'phone', label: 'New phone', placeholder: '+49 151 1234567', type: 'tel' }, { name: 'type', label: 'Announced as', options: ['user_changed_number', 'customer_changed_number'] }], function (given) { if (given.phone) return event({ kind: 'system', type: given.type, phone: given.phone }, 'number change'); })],
    ['New user id', function () { return event({ kind: 'system', type: 'user_changed_user_id' }, 'new user id'); }], ['New security code', function () { return event({ kind: 'system', type: 'customer_identity_changed' }, 'new security code'); }],
    ['Hide or show phone', function () { return user({ hidden: !current().hidden }, current().hidden ? 'The phone shows from the next message on.' : 'The phone is hidden from the next message on.'); }],
    ['User name…', fields('User name (empty removes it)', function () { return [{ name: 'username', label: 'User name', value: current().username || '' }]; }, function (given) { return event({ kind: 'username', username: given.username || null }, 'user name, told with the next message'); })],
    ['Profile name…', fields('Profile name', function () { return [{ name: 'name', label: 'Name', value: current().name }]; }, function (given) { if (given.name) return user({ name: given.name }, 'The name is told with the next message.'); })]]],
  ['Marketing and reach', [['Stop marketing', function () { return event({ kind: 'user_preferences', value: 'stop' }, 'marketing stopped'); }], ['Resume marketing', function () { return event({ kind: 'user_preferences', value: 'resume' }, 'marketing resumed'); }],
    ['Sign up', function () { return event({ kind: 'user_preferences', value: 'signup' }, 'signed up for marketing'); }], ['Block or unblock', function () { return user({ blocked: !current().blocked }, current().blocked ? 'Unblocked.' : 'Blocked: nothing arrives any more.'); }],
    ['Close the window', function () { return user({ windows: {} }, 'The 24 hours are over.'); }]]],
] };

function status(word, more) { return aboutBusiness(function (wamid) { return event(Object.assign({ kind: 'status', wamid: wamid, status: word }, more), 'status ' + word); }, lastSent); }
function payment(word) { return aboutBusiness(function (wamid) { return event({ kind: 'payment', wamid: wamid, status: word }, 'payment ' + word); }, lastSent); }
var statuses = { id: 'statuses', title: 'Status of the last message', user: true, parts: [
  ['Delivery', [['Sent', status('sent')], ['Delivered', status('delivered')], ['Read', status('read')], ['Played', status('played')],
    ['Failed…', choose('Why it failed', [['131026: undeliverable', 131026], ['131047: window closed', 131047], ['131049: marketing cap', 131049], ['131050: stopped marketing', 131050], ['130472: experiment', 130472], ['131053: media upload', 131053]], function (code) { return status('failed', { code: code })(); })]]],
  ['Payment', [['Paid', payment('captured')], ['Payment pending', payment('pending')], ['Payment failed', payment('failed')]]],
] };

var chosen = function (id) { var select = document.getElementById(id); return select ? select.value : ''; };
function ofTemplate(input, told) { return event(Object.assign({ template_id: chosen('template') }, input), told).then(s.reload); }
function templateStatus(word, more) { return ofTemplate(Object.assign({ kind: 'template_status', event: word }, more), 'template ' + word.toLowerCase()); }
function templateIs(word, more) { return function () { return templateStatus(word, more); }; }
var categories = ['UTILITY', 'MARKETING', 'AUTHENTICATION'];
function body() {
  var template = s.state.account.templates.filter(function (item) { return item.id === chosen('template'); })[0];
  return (template ? template.components : []).filter(function (part) { return part.type === 'BODY'; }).map(function (part) { return part.text || ''; })[0] || '';
}
function withBody(text) {
  var template = s.state.account.templates.filter(function (item) { return item.id === chosen('template'); })[0];
  return (template ? template.components : []).map(function (part) { return part.type === 'BODY' ? Object.assign({}, part, { text: text }) : part; });
}
var templates = { id: 'templates', title: 'Templates', select: { id: 'template', label: 'Template', options: function () { return s.state.account.templates.map(function (t) { return [t.name + ' (' + t.language + ') ' + t.status.toLowerCase(), t.id]; }); } }, parts: [
  ['Status', [['Approve', templateIs('APPROVED')], ['Reject…', choose('Why it is rejected', ['INVALID_FORMAT', 'ABUSIVE_CONTENT', 'INCORRECT_CATEGORY', 'PROMOTIONAL', 'SCAM', 'TAG_CONTENT_MISMATCH', 'CATEGORY_NOT_AVAILABLE'], function (reason) { return templateStatus('REJECTED', { reason: reason }); })],
    ['Pause', templateIs('PAUSED', { other_info: { title: 'FIRST_PAUSE', description: 'Low quality' } })], ['Reinstate', templateIs('REINSTATED', { other_info: { title: 'UNPAUSE', description: 'Quality is fine again' } })], ['Disable', templateIs('DISABLED', { disable_info: { disable_date: '2031-01-01' } })],
    ['Other status…', choose('Template status', ['PENDING', 'IN_APPEAL', 'FLAGGED', 'LOCKED', 'LIMIT_EXCEEDED', 'ARCHIVED', 'UNARCHIVED', 'PENDING_DELETION', 'DELETED'], function (word) { return templateStatus(word); })]]],
  ['Properties', [['Category…', choose('New category', categories, function (to) { return ofTemplate({ kind: 'template_category', new_category: to }, 'category ' + to.toLowerCase()); })],
    ['Category notice…', choose('Category that is coming', categories, function (to) { return ofTemplate({ kind: 'template_category', correct_category: to }, 'notice of category ' + to.toLowerCase()); })],
    ['Quality…', choose('Quality of the template', ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'], function (score) { return ofTemplate({ kind: 'template_quality', new_quality_score: score }, 'template quality ' + score.toLowerCase()); })],
    ['Components…', fields('Text of the template', function () { return [{ name: 'body', label: 'Body', long: true, value: body() }]; }, function (given) { return ofTemplate({ kind: 'template_components', components: withBody(given.body) }, 'changed components'); })]]],
] };

function ofFlow(input, told) { return event(Object.assign({ kind: 'flow_status', flow_id: chosen('flow') }, input), told).then(s.reload); }
function flowIs(word) { return function () { return ofFlow({ new_status: word }, 'flow ' + word.toLowerCase()); }; }
var flows = { id: 'flows', title: 'Flows', select: { id: 'flow', label: 'Flow', options: function () { return s.state.account.flows.map(function (f) { return [f.name + ' ' + f.status.toLowerCase(), f.id]; }); } }, parts: [
  ['Status', [['Publish', flowIs('PUBLISHED')], ['Throttle', flowIs('THROTTLED')], ['Block', flowIs('BLOCKED')], ['Deprecate', flowIs('DEPRECATED')]]],
  ['Monitoring', [['Warning…', choose('Warning', ['CLIENT_ERROR_RATE', 'ENDPOINT_ERROR_RATE', 'ENDPOINT_LATENCY', 'ENDPOINT_AVAILABILITY', 'FLOW_VERSION_EXPIRY_WARNING'], function (word) { return ofFlow({ event: word, threshold: 10, alert_state: 'ACTIVATED' }, word.toLowerCase().replace(/_/g, ' ')); })]]],
  ['Definition', [['Rename…', fields('Name of the flow', function () { return [{ name: 'name', label: 'Name', value: (s.state.account.flows.filter(function (item) { return item.id === chosen('flow'); })[0] || {}).name }]; }, function (given) { return ofAccount({ flows: [{ id: chosen('flow'), name: given.name }] }, 'Renamed; a read of the flow shows it.'); })],
    ['Remove', function () { return s.api('DELETE', '/flows/' + encodeURIComponent(chosen('flow'))).then(s.reload).then(function () { s.toast('The platform no longer has this flow.'); }); }]]],
] };

function ofAccount(input, told) { return s.api('POST', '/accounts', Object.assign({ business_account_id: s.state.account.business_account_id }, input)).then(s.reload).then(function () { s.toast(told); }); }
function ofProduct(input, told) { return ofAccount({ products: [Object.assign({ id: chosen('product') }, input)] }, told); }
function chosenProduct() { return s.state.account.products.filter(function (item) { return item.id === chosen('product'); })[0] || {}; }
var seen = ' A sync shows it.';
var products = { id: 'products', title: 'Catalogue', select: { id: 'product', label: 'Product', options: function () { return s.state.account.products.map(function (p) { return [p.name + ' ' + p.price + ', ' + p.availability, p.id]; }); } }, parts: [[null, [
  ['In stock', function () { return ofProduct({ availability: 'in stock' }, 'In stock.' + seen); }], ['Out of stock', function () { return ofProduct({ availability: 'out of stock' }, 'Out of stock.' + seen); }],
  ['Edit…', fields('Product', function () { var p = chosenProduct(); return [{ name: 'name', label: 'Name', value: p.name }, { name: 'price', label: 'Price', value: p.price }, { name: 'currency', label: 'Currency', value: p.currency }]; }, function (given) { return ofProduct(given, 'Changed.' + seen); })],
  ['New…', fields('New product', [{ name: 'retailer_id', label: 'Own id', placeholder: 'GG-RAKE' }, { name: 'name', label: 'Name', placeholder: 'Rake' }, { name: 'price', label: 'Price', placeholder: '$12.00' }], function (given) { if (given.retailer_id) return ofAccount({ products: [given] }, 'Added.' + seen); })],
  ['Remove', function () { return s.api('DELETE', '/products/' + encodeURIComponent(chosen('product'))).then(s.reload).then(function () { s.toast('Removed.' + seen); }); }],
]]] };

var limits = ['TIER_250', 'TIER_2K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED'];
var number = { id: 'number-events', title: 'Business number', parts: [[null, [
  ['Quality…', fields('Quality of the number', [{ name: 'quality_rating', label: 'Quality', options: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] }, { name: 'current_limit', label: 'Messaging limit', options: limits }, { name: 'event', label: 'Event', options: ['UPGRADE', 'DOWNGRADE', 'ONBOARDING', 'FLAGGED', 'UNFLAGGED'] }], function (given) { return event(Object.assign({ kind: 'phone_number_quality' }, given), 'quality ' + given.quality_rating.toLowerCase()).then(s.reload); })],
  ['Name change…', fields('Name of the number', function () { return [{ name: 'name', label: 'Verified name', value: s.state.phone.verified_name }, { name: 'decision', label: 'Decision', options: ['APPROVED', 'DECLINED', 'REJECTED', 'PENDING_REVIEW'] }]; }, function (given) { return event({ kind: 'phone_number_name', name: given.name, decision: given.decision }, 'name ' + given.decision.toLowerCase()).then(s.reload); })],
  ['User name…', fields('User name of the business', [{ name: 'username', label: 'User name', placeholder: 'green.garden' }, { name: 'status', label: 'Status', options: ['approved', 'reserved', 'deleted'] }], function (given) { return event({ kind: 'business_username', username: given.username || 'green.garden', status: given.status }, 'user name ' + given.status); })],
  ['Security…', choose('Two-step code', ['PIN_CHANGED', 'PIN_RESET_REQUEST', 'PIN_RESET_SUCCESS'], function (word) { return event({ kind: 'security', event: word }, word.toLowerCase().replace(/_/g, ' ')); })],
]]] };

var accountUpdates = {
  ACCOUNT_VIOLATION: { violation_info: { violation_type: 'ALCOHOL' } },
  ACCOUNT_RESTRICTION: { restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1924992000 }] },
  DISABLED_UPDATE: { ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: 'January 1, 2031' } },
};
var account = { id: 'account', title: 'Business account', parts: [[null, [
  ['Account update…', choose('Account update', ['ACCOUNT_VIOLATION', 'ACCOUNT_RESTRICTION', 'DISABLED_UPDATE', 'ACCOUNT_DELETED', 'PARTNER_ADDED', 'PARTNER_REMOVED', 'PARTNER_APP_INSTALLED', 'ACCOUNT_OFFBOARDED', 'ACCOUNT_RECONNECTED'], function (word) { return event(Object.assign({ kind: 'account_update', event: word }, accountUpdates[word]), word.toLowerCase().replace(/_/g, ' ')); })],
  ['Alert…', choose('How bad', ['INFORMATIONAL', 'WARNING', 'CRITICAL'], function (word) { return event({ kind: 'account_alert', alert_severity: word }, 'account alert'); })],
  ['Review…', choose('Decision of the review', ['APPROVED', 'REJECTED', 'PENDING', 'DEFERRED'], function (word) { return event({ kind: 'account_review', decision: word }, 'account review'); })],
  ['Capability…', choose('Conversations a day', [['250', 250], ['2,000', 2000], ['10,000', 10000], ['100,000', 100000], ['Unlimited', -1]], function (most) { return event({ kind: 'business_capability', max_daily_conversations_per_business: most }, 'new capability'); })],
  ['Errors of the account', function () { return event({ kind: 'account_errors', code: 131031 }, 'errors of the account'); }],
  ['Unknown webhook', function () { return event({ kind: 'raw', field: 'something_new', value: { hello: 'world' } }, 'an unknown webhook'); }],
]]] };

function fault(input) { return function () { return s.api('POST', '/faults', Object.assign({ times: 1, phone_number_id: s.state.phone.id }, input)).then(function () { s.toast('Armed for the next send on this number.'); }); }; }
var faults = { id: 'faults', title: 'The next send fails', parts: [[null, [
  ['Server error', fault({ kind: 'error', code: 131000 })], ['Rate limit', fault({ kind: 'error', code: 130429, retry_after: 2 })], ['Accepted, then reset', fault({ kind: 'reset_after_accept' })],
  ['No answer', fault({ kind: 'hang' })], ['HTML 502', fault({ kind: 'html' })], ['Undeliverable', fault({ kind: 'async_error', code: 131026 })],
]]] };

function settings(input, told) { return function () { return s.api('POST', '/settings', input).then(function () { s.toast(told); }); }; }
var webhooks = { id: 'webhooks', title: 'How webhooks come', parts: [[null, [
  ['Each one twice', settings({ duplicate: 1 }, 'Every webhook comes twice.')], ['Statuses out of order', settings({ reorder: true }, 'Statuses come in any order.')],
  ['Some statuses lost', settings({ drop: 0.3 }, 'Three statuses of ten are lost.')], ['As usual again', settings({ duplicate: 0, reorder: false, drop: 0 }, 'Webhooks come as usual.')],
]]] };

return [sending, person, statuses, templates, flows, products, number, account, faults, webhooks];
};
`;
