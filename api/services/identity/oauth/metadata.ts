import { cut } from '../../../core/text/cut';
import { invalidField } from '../../../core/http/errors';
import { isPlainObject } from '../../../core/http/fields';
import { showInvisible } from '../../../core/http/invisible';
import type { Runtime } from '../../../core/runtime';
import { isLoopback } from './redirectUris';

/** What a document may take: those who publish one keep to these, and so does the draft that describes it. */
const limits = { maxBytes: 5 * 1024, maxMs: 5_000 };
const maxUrlLength = 2_000;

/** An application that publishes a metadata document. */
interface KnownClient {
  readonly name: string;
  readonly url: string;
  /** Its document names loopback addresses without a port, and it can be told which one to listen on. */
  readonly callbackPort?: number;
}

/** Applications that publish a metadata document, to be registered with one click. */
export const knownClients: readonly KnownClient[] = [
  { name: 'Claude', url: 'https://claude.ai/oauth/mcp-oauth-client-metadata' },
  { name: 'Claude Code', url: 'https://claude.ai/oauth/claude-code-client-metadata', callbackPort: 3118 },
  { name: 'VS Code', url: 'https://vscode.dev/oauth/client-metadata.json' },
  { name: 'Codex', url: 'https://chatgpt.com/oauth/codex/client.json', callbackPort: 3118 },
  { name: 'opencode', url: 'https://opencode.ai/oauth/opencode/client.json', callbackPort: 19876 },
];

/** What a metadata document says of its application. */
interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** Returns whether a client id is the address of a metadata document. */
export function isMetadataUrl(clientId: string): boolean {
  return /^https?:\/\//.test(clientId) && clientId.length <= maxUrlLength && URL.canParse(clientId);
}

/**
 * Reads an application's metadata document (draft-ietf-oauth-client-id-metadata-document). Throws when something is
 * wrong with it. `callbackPort` is put into loopback addresses without a port, which otherwise mean any port (RFC 8252
 * section 7.3): here redirect URIs are compared exactly.
 */
export async function readMetadata(
  runtime: Runtime,
  url: string,
  callbackPort: number | null,
): Promise<ClientMetadata> {
  const wrong = (message: string): Error => invalidField('metadata_url', message);
  if (!isMetadataUrl(url) || new URL(url).href !== url) throw wrong('Enter the address as the application sends it.');
  const { pathname, hash, host } = new URL(url);
  if (pathname === '/' || hash !== '') throw wrong('The address of a document has a path and no fragment.');
  const read = await runtime.webhooks.read(url, limits);
  if ('problem' in read) throw wrong(read.problem);
  const document = parse(read.body);
  if (!document) throw wrong('What is there is no JSON object.');
  if (document['client_id'] !== url)
    throw wrong('The document is another application’s: its client_id must be its own address.');
  const method = document['token_endpoint_auth_method'] ?? 'none';
  if (method !== 'none' || 'client_secret' in document)
    throw wrong(
      'Only applications without a secret can be registered by a document (token_endpoint_auth_method none).',
    );
  const uris: unknown = document['redirect_uris'];
  if (!Array.isArray(uris) || !uris.every((uri): uri is string => typeof uri === 'string'))
    throw wrong('The document has no list of redirect_uris.');
  const name = document['client_name'];
  return {
    name: typeof name === 'string' && name.trim() !== '' ? cut(showInvisible(name.trim()), 100) : host,
    redirectUris: uris.map((uri) => withPort(uri, callbackPort)),
  };
}

function parse(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}

function withPort(uri: string, port: number | null): string {
  if (port === null || !URL.canParse(uri) || !isLoopback(uri)) return uri;
  return uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?=[/?]|$)/, `$1:${port}`);
}
