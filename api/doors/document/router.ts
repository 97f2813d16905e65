import { Router, type Request, type Response } from 'express';
import { invalidField } from '../../core/http/errors';
import { buildOpenApi, forKeys } from '../../core/http/openapi';
import { describeDocument } from './texts/describe';
import type { Operation } from '../../core/http/operations';
import type { Runtime } from '../../core/runtime';
import { withWebhooks } from '../../services/processes/webhookDelivery/schemas';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { stateOf } from '../http/request';
import { namesTag, tagOf } from '../http/tags';
import { withOauthPaths } from '../oauth/openapi';
import { postmanCollection } from './postman';

const route = '/api/v1/openapi.json';

/** Returns the document of the whole interface. */
function wholeDocument(operations: readonly Operation[], baseUrl: string): Record<string, unknown> {
  return describeDocument(withWebhooks(withOauthPaths(buildOpenApi(operations, baseUrl))));
}

/** Returns the document of what an API key can call, for generators: every method of a client made of it works. */
function keysDocument(operations: readonly Operation[], baseUrl: string): Record<string, unknown> {
  return describeDocument(withWebhooks(buildOpenApi(forKeys(operations), baseUrl, true), false));
}

/**
 * Serves the OpenAPI document to anybody, from any page: the whole one, or with `?for=keys` that for API keys, which is
 * there as a collection of Postman, too.
 */
export function documentRouter(runtime: Runtime, operations: readonly Operation[], limiters: Limiters): Router {
  const router = Router({ strict: true });
  const { baseUrl } = runtime.config;
  const forKeysOnly = keysDocument(operations, baseUrl);
  const served = (content: Record<string, unknown>): { readonly text: string; readonly tag: string } => {
    const text = JSON.stringify(content);
    return { text, tag: tagOf(text) };
  };
  const all = served(wholeDocument(operations, baseUrl));
  const keys = served(forKeysOnly);
  const postman = served(postmanCollection(forKeysOnly, baseUrl));

  const give = async (req: Request, res: Response, choose: () => typeof all): Promise<void> => {
    stateOf(res).route = req.path;
    await passLimiter(limiters.anonymous, req, res);
    const { text, tag } = choose();
    res.setHeader('Access-Control-Allow-Origin', '*').setHeader('ETag', tag);
    if (namesTag(req.get('If-None-Match') ?? '', tag, { weak: true })) res.status(304).end();
    else res.type('application/json').send(text);
  };
  router.get(route, (req, res, next) => {
    give(req, res, () => {
      const asked = req.query['for'] ?? '';
      if (asked !== '' && asked !== 'keys') throw invalidField('for', 'Give "keys", or leave it out.');
      return asked === 'keys' ? keys : all;
    }).catch(next);
  });
  router.get('/docs/postman.json', (req, res, next) => {
    give(req, res, () => postman).catch(next);
  });
  return router;
}
