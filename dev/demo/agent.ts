import { createHash, randomBytes } from 'node:crypto';
import { demoPhoneNumberId as phoneNumberId } from '../sandbox/demo';
import { call, type Answer, type Api } from './calls';

/** Connects an agent as a member does in the browser: register, ask, agree, redeem. Returns its access token. */
async function connectAgent(baseUrl: string, token: string, api: Api): Promise<string> {
  const redirectUri = 'http://localhost:3118/callback';
  const client = await api('POST', '/oauth-clients/', {
    name: 'Demo assistant',
    redirect_uris: [redirectUri],
    client_type: 'public',
  });
  const cookie = { cookie: `token=${token}` };
  const scopes = ['chat.view', 'chat.send_message', 'contact.view', 'template.view', 'macro.view'];
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: scopes.join(' '),
  });
  const asked = await call('GET', `${baseUrl}/oauth/mcp/authorize?${query.toString()}`, cookie);
  // BASE_URL may be an address that this machine does not reach.
  const { pathname, search } = new URL(asked.headers.get('location') ?? '', baseUrl);
  const consent = await call('GET', `${baseUrl}${pathname}${search}`, cookie);
  const form = new URLSearchParams({ decision: 'allow' });
  for (const [, name = '', value = ''] of consent.text.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)"\/?>/g,
  ))
    form.append(name, value);
  for (const scope of scopes) form.append('scope', scope);
  const agreed = await call('POST', `${baseUrl}/oauth/mcp/consent`, cookie, form);
  const redeemed = await call(
    'POST',
    `${baseUrl}/oauth/mcp/token`,
    {},
    new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      code: new URL(agreed.headers.get('location') ?? '').searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  );
  return redeemed.json.access_token;
}

/** A connected agent asks to send; all wait for a member. */
export async function askAsAgent(baseUrl: string, token: string, api: Api, phone: string): Promise<void> {
  const agent = await connectAgent(baseUrl, token, api);
  const [grant] = await api<readonly Answer[]>('GET', '/connected-agents/');
  // Drafts wait without a time limit.
  await api('PATCH', `/connected-agents/${grant?.id}/`, { autonomy: 'draft' });
  for (const text of ['We have three kinds of garden shovels.', 'Shall we reserve one for you?', 'It arrives soon.'])
    await call(
      'POST',
      `${baseUrl}/mcp`,
      { authorization: `Bearer ${agent}` },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'send_message',
          arguments: { to: `+${phone}`, text, phone_number_id: phoneNumberId },
        },
      },
    );
}
