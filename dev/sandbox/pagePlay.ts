/** The right-hand panel: everything of sections 2.6 to 2.9 that can be played by a click. */
export const PLAY_SCRIPT = String.raw`
(function () {
var s = window.sandbox;
var h = s.h;

function event(input) { return s.api('POST', '/events', Object.assign(s.base(), input)).then(s.refresh); }
function user(input) { return s.api('POST', '/users', { business_account_id: s.state.account.business_account_id, user: Object.assign({ key: s.state.user }, input) }).then(s.refresh); }
function current() { return s.state.chat ? s.state.chat.user : null; }
function lastFromBusiness() {
  var found = (s.state.chat ? s.state.chat.messages : []).filter(function (m) { return !m.mine && !m.lost && m.type !== 'reaction'; });
  return found.length > 0 ? found[found.length - 1].wamid : null;
}
function play(type, more) { return function () { s.sendMessage({ type: type }, null, more); }; }
function needUser(action) { return function () { if (!s.state.user) { s.toast('Choose or make a customer first.'); return; } action(); }; }

window.flowReply = async function (flow, about) {
  var given = await s.ask('Answer the form', [{ name: 'json', label: 'Response (JSON)', long: true, value: '{\n  "name": "Anna",\n  "comment": "Great"\n}' }]);
  if (!given) return;
  var parsed;
  try { parsed = JSON.parse(given.json); } catch (error) { s.toast('That is not JSON.'); return; }
  parsed.flow_token = flow.flow_token;
  s.sendMessage({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify(parsed) } } }, about);
};

var MESSAGES = [
  ['Photo', play('image')], ['Voice', play('audio')], ['Video', play('video')], ['Document', play('document')],
  ['Sticker', play('sticker')], ['Location', play('location')], ['Contact card', play('contacts')], ['Order', play('order')],
  ['Reaction', function () { var about = lastFromBusiness(); if (!about) { s.toast('There is no message of the business to react to.'); return; } s.sendMessage({ type: 'reaction', reaction: { message_id: about, emoji: '👍' } }); }],
  ['Template button', function () { s.sendMessage({ type: 'button', button: { payload: 'YES', text: 'Yes' } }, lastFromBusiness()); }],
  ['Button reply', function () { s.sendMessage({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } } }, lastFromBusiness()); }],
  ['List reply', function () { s.sendMessage({ type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'row-1', title: 'First row', description: 'From a list' } } }, lastFromBusiness()); }],
  ['Flow reply', function () { window.flowReply({ flow_token: 'unused' }, lastFromBusiness()); }],
  ['From an ad', function () { s.sendMessage({ type: 'text', text: { body: 'I saw your ad' } }, null, { referral: true }); }],
  ['Forwarded', function () { s.sendMessage({ type: 'text', text: { body: 'Forwarded text' } }, null, { context: { forwarded: true } }); }],
  ['Unsupported', play('unsupported')],
  ['Edit', function () { s.sendMessage({ type: 'edit', edit: { original_message_id: lastFromBusiness() || 'wamid.unknown', message: { type: 'text', text: { body: 'Edited text' } } } }); }],
  ['Delete for all', function () { s.sendMessage({ type: 'revoke', revoke: { original_message_id: lastFromBusiness() || 'wamid.unknown' } }); }],
  ['In a group', function () { s.sendMessage({ type: 'text', text: { body: 'Hello group' } }, null, { group_id: 'Y2FwaV9ncm91cDox' }); }],
  ['About a product', function () { var product = s.state.account.products[0]; s.sendMessage({ type: 'text', text: { body: 'Is this still available?' } }, null, { context: { referred_product: { catalog_id: s.state.account.catalog_id, product_retailer_id: product ? product.retailer_id : 'SKU-1' } } }); }],
];

var PERSON = [
  ['Hide / show phone', function () { user({ hidden: !current().hidden }); }],
  ['Change number', async function () { var given = await s.ask('Change number', [{ name: 'phone', label: 'New phone', placeholder: '+49 151 1234567', type: 'tel' }]); if (given && given.phone) event({ kind: 'system', type: 'user_changed_number', phone: given.phone }); }],
  ['Set user name', async function () { var given = await s.ask('User name (empty removes it)', [{ name: 'username', label: 'User name', value: current().username || '' }]); if (given) event({ kind: 'username', username: given.username || null }); }],
  ['New BSUID', function () { event({ kind: 'system', type: 'user_changed_user_id' }); }],
  ['Security code', function () { event({ kind: 'system', type: 'customer_identity_changed' }); }],
  ['Rename', async function () { var given = await s.ask('Profile name', [{ name: 'name', label: 'Name', value: current().name }]); if (given && given.name) user({ name: given.name }); }],
  ['Stop marketing', function () { event({ kind: 'user_preferences', value: 'stop' }); }],
  ['Resume marketing', function () { event({ kind: 'user_preferences', value: 'resume' }); }],
  ['Block / unblock', function () { user({ blocked: !current().blocked }); }],
  ['Close the window', function () { user({ windows: {} }); }],
];

function buttons(list, guard) { return h('div', { class: 'grid' }, list.map(function (item) { return h('button', { type: 'button', on: guard ? needUser(item[1]) : item[1] }, item[0]); })); }

function templatePanel() {
  var select = h('select', { 'aria-label': 'Template' }, s.state.account.templates.map(function (t) { return h('option', { value: t.id }, t.name + ' (' + t.language + ') ' + t.status.toLowerCase()); }));
  var act = function (name) { return async function () { await event({ kind: 'template_status', template_id: select.value, event: name }); await s.reload(); }; };
  return [select, buttons([['Approve', act('APPROVED')], ['Reject', act('REJECTED')], ['Pause', act('PAUSED')], ['Disable', act('DISABLED')], ['Category…', async function () {
    var to = await s.pick('New category', ['UTILITY', 'MARKETING', 'AUTHENTICATION'].map(function (name) { return [name.toLowerCase(), name]; }));
    if (to) { await event({ kind: 'template_category', template_id: select.value, new_category: to }); await s.reload(); }
  }], ['Quality red', function () { event({ kind: 'template_quality', template_id: select.value, new_quality_score: 'RED' }); }]])];
}

function flowPanel() {
  var select = h('select', { 'aria-label': 'Flow' }, s.state.account.flows.map(function (f) { return h('option', { value: f.id }, f.name + ' ' + f.status.toLowerCase()); }));
  var act = function (status) { return async function () { await event({ kind: 'flow_status', flow_id: select.value, new_status: status }); await s.reload(); }; };
  return [select, buttons([['Publish', act('PUBLISHED')], ['Throttle', act('THROTTLED')], ['Block', act('BLOCKED')], ['Deprecate', act('DEPRECATED')]])];
}

var BUSINESS = [
  ['User name…', async function () { var given = await s.ask('Business user name', [{ name: 'username', label: 'User name (empty deletes it)' }]); if (given) event(given.username ? { kind: 'business_username', username: given.username, status: 'approved' } : { kind: 'business_username', status: 'deleted' }); }],
  ['Lower limit', function () { event({ kind: 'phone_number_quality', event: 'DOWNGRADE', current_limit: 'TIER_250', quality_rating: 'RED' }); }],
  ['Account warning', function () { event({ kind: 'account_update', event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'ALCOHOL' } }); }],
  ['Unknown webhook', function () { event({ kind: 'raw', field: 'something_new', value: { hello: 'world' } }); }],
];

function fault(input) { return function () { s.api('POST', '/faults', Object.assign({ times: 1, phone_number_id: s.state.phone.id }, input)).then(function () { s.toast('Armed for the next send on this number.'); }); }; }
var FAULTS = [
  ['Server error', fault({ kind: 'error', code: 131000 })], ['Rate limit', fault({ kind: 'error', code: 130429, retry_after: 2 })],
  ['Accept, then reset', fault({ kind: 'reset_after_accept' })], ['Hang', fault({ kind: 'hang' })],
  ['HTML 502', fault({ kind: 'html' })], ['Undeliverable', fault({ kind: 'async_error', code: 131026 })],
];

window.drawPlay = function () {
  if (!s.state.account) return;
  var parts = [h('h2', {}, 'This customer sends'), buttons(MESSAGES, true), h('h2', {}, 'This customer'), buttons(PERSON, true)];
  if (s.state.account.templates.length > 0) parts = parts.concat([h('h2', {}, 'Templates')], templatePanel());
  if (s.state.account.flows.length > 0) parts = parts.concat([h('h2', {}, 'Flows')], flowPanel());
  parts = parts.concat([h('h2', {}, 'The business'), buttons(BUSINESS), h('h2', {}, 'Next send fails'), buttons(FAULTS)]);
  document.getElementById('play').replaceChildren.apply(document.getElementById('play'), parts);
};
})();
`;
