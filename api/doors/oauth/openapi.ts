import { consentableScopes } from '../../core/http/access';
import { collectSchemas } from '../../core/http/openapiSchemas';
import { wire, type JsonSchema } from '../../core/http/shapes';
import { paths } from './discovery';

type Json = Record<string, unknown>;

const tag = 'OAuth';
const oauthError = wire.named('OAuthError', { error: wire.text(), error_description: wire.text() });
const tokens = wire.named('OAuthTokens', {
  access_token: wire.text(),
  token_type: wire.oneOf(['Bearer']),
  expires_in: wire.integer('Seconds.'),
  refresh_token: wire.text(),
  scope: wire.text('What was granted, which may be less than what was asked for.'),
});

const json = (description: string, schema: JsonSchema): Json => ({
  description,
  content: { 'application/json': { schema } },
});
const page = (description: string): Json => ({ description, content: { 'text/html': { schema: wire.text() } } });
const refusals = {
  400: json('RFC 6749 section 5.2.', oauthError),
  401: json('The authentication of the client failed.', oauthError),
  413: json('The body is too large.', oauthError),
  429: json('Too many requests; see Retry-After.', oauthError),
};

function query(name: string, required: boolean, { description, ...schema }: JsonSchema): Json {
  return { name, in: 'query', required, description, schema };
}

function form(title: string, properties: Record<string, JsonSchema>, required: readonly string[]): Json {
  return {
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema: { title, type: 'object', properties, required } } },
  };
}

const client = {
  client_id: wire.text(),
  client_secret: wire.text('Confidential clients, unless they use the Basic header.'),
};

/** The paths of the authorization server, for the OpenAPI document; they are plain routes, not operations. */
const oauthPaths: Readonly<Record<string, Json>> = {
  '/.well-known/oauth-protected-resource': {
    get: {
      operationId: 'oauth.protectedResource',
      tags: [tag],
      summary: 'Describe the protected resource (RFC 9728)',
      description: 'Says where the authorization server of the agent endpoint is.',
      security: [],
      responses: { 200: json('The document.', { type: 'object', additionalProperties: true }) },
    },
  },
  '/.well-known/oauth-authorization-server': {
    get: {
      operationId: 'oauth.authorizationServer',
      tags: [tag],
      summary: 'Describe the authorization server (RFC 8414)',
      description: 'Says where the endpoints are and what they support.',
      security: [],
      responses: { 200: json('The document.', { type: 'object', additionalProperties: true }) },
    },
  },
  [paths.authorize]: {
    get: {
      operationId: 'oauth.authorize',
      tags: [tag],
      summary: 'Ask a member for access',
      description:
        'For browsers: leads to sign-in and consent, then back to `redirect_uri` with `code`, `state` and `iss`, or ' +
        'with `error`.',
      security: [],
      parameters: [
        query('response_type', true, { ...wire.oneOf(['code']), description: 'Always `code`.' }),
        query('client_id', true, wire.text('Names the application.')),
        query('redirect_uri', true, wire.text('One of the registered addresses, exactly as registered.')),
        query('code_challenge', true, {
          type: 'string',
          pattern: '^[A-Za-z0-9_-]{43}$',
          description: 'SHA-256 of the `code_verifier`, in Base64url (RFC 7636).',
        }),
        query('code_challenge_method', true, { ...wire.oneOf(['S256']), description: 'Always `S256`.' }),
        query('scope', false, wire.text(`Some of ${consentableScopes.join(' ')}, separated by spaces. Default: all.`)),
        query('state', false, wire.text('Comes back unchanged.')),
        query('resource', false, wire.text('The address of the agent endpoint (RFC 8707).')),
      ],
      responses: {
        303: {
          description: 'Redirects to the consent page, or back to the client with `error`.',
          headers: { Location: { schema: { type: 'string' } } },
        },
        400: page('The client or the redirect URI is not registered.'),
        429: page('Too many requests.'),
      },
    },
  },
  [paths.token]: {
    post: {
      operationId: 'oauth.token',
      tags: [tag],
      summary: 'Exchange a code or a refresh token',
      description: 'Gives an access token and a new refresh token. Every refresh replaces both.',
      security: [],
      requestBody: form(
        'OAuthTokenRequest',
        {
          grant_type: wire.oneOf(['authorization_code', 'refresh_token']),
          ...client,
          code: wire.text(),
          redirect_uri: wire.text(),
          code_verifier: wire.text(),
          refresh_token: wire.text(),
          scope: wire.text('On a refresh: a part of what was granted.'),
          resource: wire.text(),
        },
        ['grant_type'],
      ),
      responses: { 200: json('New tokens. After a refresh the previous ones are refused.', tokens), ...refusals },
    },
  },
  [paths.revoke]: {
    post: {
      operationId: 'oauth.revoke',
      tags: [tag],
      summary: 'Revoke a token (RFC 7009)',
      description: 'Revokes an access token alone; a refresh token revokes the whole connection.',
      security: [],
      requestBody: form('OAuthRevocation', { ...client, token: wire.text(), token_type_hint: wire.text() }, ['token']),
      responses: { 200: { description: 'Done, or there was nothing to do.' }, ...refusals },
    },
  },
};

/** Returns the OpenAPI document with the paths of the authorization server added. */
export function withOauthPaths(document: Json): Json {
  const named = collectSchemas();
  const described = named.refer(oauthPaths);
  const components = document['components'] as Record<string, Json>;
  return {
    ...document,
    components: { ...components, schemas: { ...components['schemas'], ...named.schemas } },
    tags: [
      ...(document['tags'] as Json[]),
      { name: tag, description: 'How an agent gets access: discovery, authorization, tokens and revocation.' },
    ],
    paths: { ...(document['paths'] as Json), ...described },
  };
}
