import { Router, type Request, type Response } from 'express';
import type { Runtime } from '../../core/runtime';
import type { Limiters } from '../http/rateLimit';
import { stateOf } from '../http/request';
import { answerAuthorize, answerConsent } from './authorize';
import { discoveryRouter, paths } from './discovery';
import { answerRevoke, answerToken } from './token';

type Endpoint = (runtime: Runtime, limiters: Limiters, req: Request, res: Response) => Promise<void>;

/**
 * The authorization server of `/mcp`: discovery, authorization with sign-in and consent, tokens, revocation (contract
 * 11.4).
 */
export function oauthRouter(runtime: Runtime, limiters: Limiters): Router {
  const router = Router();
  router.use(discoveryRouter(runtime));
  const endpoints: readonly (readonly [path: string, endpoint: Endpoint])[] = [
    [paths.authorize, answerAuthorize],
    [paths.consent, answerConsent],
    [paths.token, answerToken],
    [paths.revoke, answerRevoke],
  ];
  for (const [path, endpoint] of endpoints) {
    router.all(path, (req, res, next) => {
      stateOf(res).route = path;
      endpoint(runtime, limiters, req, res).catch(next);
    });
  }
  return router;
}
