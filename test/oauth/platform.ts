import { randomBytes } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import type { ToolAnswer } from '../support/agent';

/** An application that was registered beforehand. */
interface RegisteredApplication {
  readonly clientId: string;
  readonly secret: string | null;
  readonly redirectUri: string;
}

/** What an agent platform keeps of a connection; the official client does the rest. */
export class Platform implements OAuthClientProvider {
  private kept: { tokens?: OAuthTokens; verifier?: string } = {};
  /** Where the client sent its user. */
  asked: URL | undefined;
  readonly sent = randomBytes(16).toString('hex');

  constructor(private readonly app: RegisteredApplication) {}

  get redirectUrl(): string {
    return this.app.redirectUri;
  }
  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Agent platform',
      redirect_uris: [this.app.redirectUri],
      token_endpoint_auth_method: this.app.secret === null ? 'none' : 'client_secret_basic',
    };
  }
  clientInformation(): OAuthClientInformationMixed {
    return { client_id: this.app.clientId, ...(this.app.secret === null ? {} : { client_secret: this.app.secret }) };
  }
  state(): string {
    return this.sent;
  }
  tokens(): OAuthTokens | undefined {
    return this.kept.tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.kept.tokens = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.kept.verifier = verifier;
  }
  codeVerifier(): string {
    return this.kept.verifier ?? '';
  }
}

/** Calls a tool through the official client. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content as { text: string }[];
  const text = content?.text ?? '';
  return {
    isError: result.isError === true,
    isRepeat: result._meta?.['msgdesk/idempotentReplayed'] === true,
    text,
    images: [],
    json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
