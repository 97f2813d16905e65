import { Router, type Request, type Response } from 'express';
import { consentableScopes } from '../../core/http/access';
import type { Runtime } from '../../core/runtime';
import { resourceOf } from '../../services/identity/oauth/grants';
import { agentGuidePath } from '../docs/guide';
import { sendJson } from '../http/errorHandler';
import { refuseMethod, stateOf } from '../http/request';

/** The paths of the authorization server (contract 11.1). */
export const paths = {
  authorize: '/oauth/mcp/authorize',
  consent: '/oauth/mcp/consent',
  token: '/oauth/mcp/token',
  revoke: '/oauth/mcp/revoke',
} as const;

const wellKnown = '/.well-known';
const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'];

/**
 * Serves the discovery documents. Everything in them derives from BASE_URL, so issuer and resource are the same
 * everywhere.
 */
export function discoveryRouter(runtime: Runtime): Router {
  const router = Router();
  const issuer = runtime.config.baseUrl;
  /** RFC 9728. */
  const resource = {
    resource: resourceOf(runtime),
    authorization_servers: [issuer],
    scopes_supported: consentableScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Msgdesk',
    resource_documentation: issuer + agentGuidePath,
  };
  /** RFC 8414; without a registration endpoint: clients are registered beforehand, some by their metadata document. */
  const server = {
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    revocation_endpoint: issuer + paths.revoke,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    scopes_supported: consentableScopes,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
  const documents: readonly (readonly [path: string, status: number, body: object])[] = [
    [`${wellKnown}/oauth-protected-resource`, 200, resource],
    // The path form of RFC 9728 section 3.1, which clients try first when they have seen no header.
    [`${wellKnown}/oauth-protected-resource/mcp`, 200, resource],
    [`${wellKnown}/oauth-authorization-server`, 200, server],
    // A 404 that web pages, too, can read: this server is no OpenID provider.
    [`${wellKnown}/openid-configuration`, 404, { error: 'Not found.' }],
  ];
  for (const [path, status, body] of documents) {
    router.all(path, (req, res) => {
      stateOf(res).route = path;
      answer(req, res, status, body);
    });
  }
  return router;
}

function answer(req: Request, res: Response, status: number, body: object): void {
  // With Helmet's default, pages of other sites could not read these public documents.
  res.setHeader('Access-Control-Allow-Origin', '*').setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  if (req.method === 'OPTIONS') {
    res
      .status(204)
      .setHeader('Allow', 'GET, HEAD, OPTIONS')
      .setHeader('Access-Control-Allow-Methods', 'GET')
      .setHeader('Access-Control-Allow-Headers', 'MCP-Protocol-Version, Authorization, Content-Type')
      .end();
    return;
  }
  refuseMethod(req, ['GET', 'HEAD', 'OPTIONS']);
  if (status === 200) res.setHeader('Cache-Control', 'public, max-age=300');
  sendJson(res, status, body);
}
