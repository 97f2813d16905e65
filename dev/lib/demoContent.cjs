'use strict';

const crypto = require('crypto');
const path = require('path');
const { readJson, writePrivate } = require('./settings.cjs');

/** The customer of every example in the documentation. */
const anna = { phone: '4915112345678', name: 'Anna' };
const phoneNumberId = '106540352242922';
const flowId = '998877665544331';
const patienceMs = 60000;

/** Calls an address and gives status, headers and body; throws where the answer is not a success. */
async function call(method, url, headers, body) {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(20000),
    headers: Object.assign(body && !isForm ? { 'content-type': 'application/json' } : {}, headers),
    body: body && !isForm ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  if (response.status >= 400) throw new Error(method + ' ' + url + ' answered ' + response.status + ': ' + text);
  const isJson = (response.headers.get('content-type') || '').startsWith('application/json');
  return { headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
}

/** Gives what `look` finds, asking again until it finds something. */
async function until(what, look) {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error('waited in vain for ' + what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Connects an agent as a member does in the browser: register, ask, agree, redeem. Gives its access token. */
async function connectAgent(baseUrl, token, api) {
  const redirectUri = 'http://localhost:3118/callback';
  const client = await api('POST', '/oauth-clients/', {
    name: 'Demo assistant',
    redirect_uris: [redirectUri],
    client_type: 'public',
  });
  const cookie = { cookie: 'token=' + token };
  const verifier = crypto.randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: crypto.createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'chat.view chat.send_message contact.view template.view macro.view',
  });
  const asked = await call('GET', baseUrl + '/oauth/mcp/authorize?' + query, cookie);
  // BASE_URL may be an address that this machine does not reach.
  const { pathname, search } = new URL(asked.headers.get('location'), baseUrl);
  const consent = await call('GET', baseUrl + pathname + search, cookie);
  const form = new URLSearchParams({ decision: 'allow' });
  for (const [, name, value] of consent.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g))
    form.append(name, value);
  for (const scope of query.get('scope').split(' ')) form.append('scope', scope);
  const agreed = await call('POST', baseUrl + '/oauth/mcp/consent', cookie, form);
  const redeemed = await call(
    'POST',
    baseUrl + '/oauth/mcp/token',
    {},
    new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      code: new URL(agreed.headers.get('location')).searchParams.get('code'),
      code_verifier: verifier,
    }),
  );
  return redeemed.body.access_token;
}

/** Anna writes, sends a picture, gets a form and fills it in. */
async function writeAsCustomer(sandboxUrl, api) {
  const says = (more) =>
    call(
      'POST',
      sandboxUrl + '/_control/inbound',
      {},
      Object.assign({ phone_number_id: phoneNumberId, from: anna }, more),
    );
  const messages = '/conversations/' + anna.phone + '/messages/';
  const received = (count) =>
    until('the messages of the sandbox', async () => {
      const found = await fetchMessages();
      return found.filter((message) => message.direction === 'inbound').length >= count;
    });
  async function fetchMessages() {
    try {
      return (await api('GET', messages)).results;
    } catch (error) {
      // Anna is not known before her first message is processed.
      if (/answered 404/.test(error.message)) return [];
      throw error;
    }
  }
  await says({ text: 'Hello, do you have garden shovels?' });
  await received(1);
  await says({ message: { type: 'image', image: { caption: 'Like this one' } } });
  await received(2);
  const form = await api('POST', '/messages/', {
    to: '+' + anna.phone,
    phone_number_id: phoneNumberId,
    interactive: {
      type: 'flow',
      body: { text: 'When may we call you?' },
      action: {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_id: flowId, flow_cta: 'Choose a time', flow_token: 'demo-1' },
      },
    },
  });
  const sent = await until('the delivery of the form', async () => {
    const message = await api('GET', '/messages/' + form.id + '/');
    return message.message_id && message;
  });
  await says({
    reply_to: sent.message_id,
    message: {
      type: 'interactive',
      interactive: {
        type: 'nfm_reply',
        nfm_reply: {
          name: 'flow',
          body: 'Sent',
          response_json: JSON.stringify({ flow_token: 'demo-1', day: 'Monday', time: '10:00' }),
        },
      },
    },
  });
  await received(3);
}

/**
 * Makes one of everything in the demo workspace, by the public interfaces: the examples of the documentation name
 * these objects by their ids, so a fresh workspace answers every one of them.
 */
async function makeContent(baseUrl, sandboxUrl, demo) {
  const signedIn = await call(
    'POST',
    baseUrl + '/dashboard/session/',
    {},
    {
      email: demo.email,
      password: demo.password,
    },
  );
  const token = /token=([^;]+)/.exec(signedIn.headers.get('set-cookie'))[1];
  const api = async (method, route, body) =>
    (await call(method, baseUrl + '/api/v1' + route, { authorization: 'Token ' + token }, body)).body;

  await writeAsCustomer(sandboxUrl, api);
  await api('PATCH', '/contacts/' + anna.phone + '/', { tags: ['newsletter'], company: 'Miller Gardens' });
  await api('POST', '/custom-fields/', { name: 'birthday', label: 'Birthday', field_type: 'date' });
  await api('POST', '/team-inboxes/', { name: 'Returns', description: 'Parcels that come back' });
  await api('POST', '/team-members/', { email: 'support+' + demo.workspace_id + '@msgdesk.test', name: 'Sam Support' });
  await api('POST', '/ticket-pipelines/', {
    name: 'Returns',
    stages: [{ name: 'Announced' }, { name: 'Received' }, { name: 'Refunded', is_terminal: true }],
  });
  const ticket = await api('POST', '/tickets/', {
    title: 'Shovel arrived broken',
    receiver_id: anna.phone,
    type: 'complaint',
  });
  await api('POST', '/tickets/' + ticket.id + '/comments/', { body: 'Anna sent a photo.' });
  await api('POST', '/sla-policies/', { name: 'Standard', first_response_minutes: 60, resolution_minutes: 1440 });
  await api('POST', '/macros/', {
    name: 'Thank and resolve',
    actions: [
      { type: 'add_tags', params: { tags: ['solved'] } },
      { type: 'set_status', params: { status: 'resolved' } },
    ],
  });
  const broadcast = {
    template_id: '564750795574598',
    phone_number_id: phoneNumberId,
    audience: { tags_any: ['newsletter'] },
    template_variables: {
      body: { 1: { source: 'field', field: 'name' }, 2: { source: 'static', value: 'Done' } },
    },
  };
  await api('POST', '/broadcasts/', Object.assign({ name: 'Order news' }, broadcast));
  const sent = await api('POST', '/broadcasts/', Object.assign({ name: 'Welcome' }, broadcast));
  await api('POST', '/broadcasts/' + sent.id + '/confirm/');

  const agent = await connectAgent(baseUrl, token, api);
  const [grant] = await api('GET', '/connected-agents/');
  // Drafts wait without a time limit.
  await api('PATCH', '/connected-agents/' + grant.id + '/', { autonomy: 'draft' });
  for (const text of ['We have three kinds of garden shovels.', 'Shall we reserve one for you?'])
    await call(
      'POST',
      baseUrl + '/mcp',
      { authorization: 'Bearer ' + agent },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'send_message',
          arguments: { to: '+' + anna.phone, text, phone_number_id: phoneNumberId },
        },
      },
    );
}

/**
 * Fills the demo workspace once. A start goes on without: nothing needs the content but the examples.
 * `options`: dataDir, baseUrl, sandboxUrl, demo (as provisioned), log.
 */
async function fillDemo(options) {
  const file = path.join(options.dataDir, 'demo.json');
  if ((readJson(file) || {}).filled) return;
  options.log('Filling the demo workspace');
  try {
    await makeContent(options.baseUrl, options.sandboxUrl, options.demo);
  } catch (error) {
    options.log('The demo workspace is not complete, so some examples will not work: ' + error.message);
  }
  writePrivate(file, Object.assign({}, options.demo, readJson(file), { filled: true }));
}

module.exports = { fillDemo };
