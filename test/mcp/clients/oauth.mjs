// An official client over OAuth, as a program on somebody's machine: it prints the address that its user has to open,
// waits for the browser to come back, makes the calls that it was given, and prints what it saw as one line of JSON.
// The mode is `v1` for version 1.x, else how version 2.x negotiates.
import { createServer } from 'node:http';

const [url, clientId, redirectUrl, mode, calls] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } =
  mode === 'v1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
        ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
      }
    : await import('@modelcontextprotocol/client');
const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Program', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
  // A client with a metadata document names no id: it finds out by itself that its document will do.
  ...(clientId.startsWith('https:')
    ? {
        clientMetadataUrl: clientId,
        clientInformation: () => kept.client,
        saveClientInformation: (client) => void (kept.client = client),
      }
    : { clientInformation: () => ({ client_id: clientId }) }),
  state: () => 'state-of-program',
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
const client = () => new Client({ name: 'program', version: '2.0.0' }, { versionNegotiation: { mode } });
const first = transport();
try {
  await client().connect(first);
  throw new Error('it was not asked to authorize');
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
const answer = await came;
if (answer.get('state') !== 'state-of-program') throw new Error('another state came back');
await first.finishAuth(mode === 'v1' ? answer.get('code') : answer);
const connected = client();
const second = transport();
await connected.connect(second);
const { tools } = await connected.listTools();
const texts = [];
for (const [name, args] of JSON.parse(calls))
  texts.push((await connected.callTool({ name, arguments: args })).content[0].text);
const version = mode === 'v1' ? second.protocolVersion : connected.getNegotiatedProtocolVersion();
console.log(JSON.stringify({ version, scope: kept.tokens.scope, tools: tools.map((tool) => tool.name), texts }));
await connected.close();
