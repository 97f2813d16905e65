// The 2.x client over OAuth, as a program on somebody's machine: it prints the address that its user has to open, waits
// for the browser to come back, and prints what it then saw as one line of JSON.
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const [url, clientId, redirectUrl, mode] = process.argv.slice(2);
const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: '2.x', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
  clientInformation: () => ({ client_id: clientId }),
  state: () => 'state-of-2.x',
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (state) => void (kept.discovery = state),
  discoveryState: () => kept.discovery,
  redirectToAuthorization: (asked) => console.error(`Please navigate to: ${asked.href}`),
};
const came = new Promise((resolve) => {
  const server = createServer((request, response) => {
    response.end('Connected');
    server.close();
    resolve(new URL(request.url, redirectUrl).searchParams);
  });
  server.listen(Number(new URL(redirectUrl).port), '127.0.0.1');
});

const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
const client = () => new Client({ name: '2.x', version: '2.0.0' }, { versionNegotiation: { mode } });
const first = transport();
try {
  await client().connect(first);
  throw new Error('it was not asked to authorize');
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
const answer = await came;
if (answer.get('state') !== 'state-of-2.x') throw new Error('another state came back');
await first.finishAuth(answer);
const connected = client();
await connected.connect(transport());
const { tools } = await connected.listTools();
const result = await connected.callTool({ name: 'search_contacts', arguments: { search: 'nobody' } });
console.log(
  JSON.stringify({ scope: kept.tokens.scope, tools: tools.map((tool) => tool.name), text: result.content[0].text }),
);
await connected.close();
