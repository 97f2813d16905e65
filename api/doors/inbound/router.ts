import { Router, type Request, type Response } from 'express';
import { AppError } from '../../core/errors';
import type { Runtime } from '../../core/runtime';
import { receiveWebhook, verifyHandshake } from '../../services/inbound/service';
import { readRaw } from '../http/bodies';
import { sendJson } from '../http/errorHandler';
import { stateOf } from '../http/request';

/** Largest webhook body (contract C3). */
const webhookLimit = 4 * 1024 * 1024;
const path = '/webhooks/msgapp/';

/** The upstream's door: handshake and signed events (contract C7). Not rate limited: the upstream decides how fast it speaks. */
export function inboundRouter(runtime: Runtime): Router {
  const router = Router();
  router.all(path, (req, res, next) => {
    stateOf(res).route = path;
    answer(runtime, req, res).catch(next);
  });
  return router;
}

async function answer(runtime: Runtime, req: Request, res: Response): Promise<void> {
  if (req.method === 'GET') {
    const text = (name: string): string => (typeof req.query[name] === 'string' ? req.query[name] : '');
    const challenge = await verifyHandshake(runtime, text('hub.mode'), text('hub.verify_token'), text('hub.challenge'));
    if (challenge === null) throw new AppError('forbidden', 'The verify token is not known.');
    res.status(200).type('text/plain').set('X-Content-Type-Options', 'nosniff').send(challenge);
    return;
  }
  if (req.method !== 'POST')
    throw new AppError('method_not_allowed', `Method "${req.method}" not allowed.`, {
      headers: { Allow: 'GET, POST' },
    });
  const raw = await readRaw(req, res, webhookLimit);
  await receiveWebhook(runtime, raw, req.get('x-hub-signature-256'));
  sendJson(res, 200, { status: 'ok' });
}
