import { Router, type Request, type Response } from 'express';
import { AppError, throttled } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import { readSignature, receiveWebhook, verifyHandshakeAnywhere } from '../../services/processes/events/intake';
import { readRaw } from '../http/bodies';
import { sendJson } from '../http/errorHandler';
import { addressOf } from '../http/network';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { platformPath, refuseMethod, stateOf } from '../http/request';
import { createWebhookAddresses, type WebhookAddresses } from './addresses';
import { createBodyBudget, type BodyBudget } from './budget';
import { reason } from '../../core/http/reasons';

/** Largest webhook body. */
const webhookLimit = 4 * 1024 * 1024;

interface Intake {
  readonly runtime: Runtime;
  readonly addresses: WebhookAddresses;
  readonly budget: BodyBudget;
}

/**
 * Receives the upstream's handshake and its signed events. Valid ones are not rate limited, since the upstream decides
 * how fast it speaks; refused ones count against their address, which is then refused before anything is read.
 */
export function inboundRouter(runtime: Runtime, limiters: Limiters): Router {
  const router = Router();
  const intake: Intake = { runtime, addresses: createWebhookAddresses(), budget: createBodyBudget() };
  router.all(platformPath, (req, res, next) => {
    stateOf(res).route = platformPath;
    guarded(intake, limiters, req, res).catch(next);
  });
  return router;
}

async function guarded(intake: Intake, limiters: Limiters, req: Request, res: Response): Promise<void> {
  const address = addressOf(req);
  const seconds = intake.addresses.refusedFor(address);
  if (seconds > 0) throw throttled(seconds);
  try {
    await answer(intake, address, req, res);
  } catch (error) {
    if (error instanceof AppError && error.status < 500) await countRefusal(intake, limiters, address, req, res);
    throw error;
  }
}

/** Counts a refused webhook against its address; throws the 429 of one that was refused too often. */
async function countRefusal(
  { addresses }: Intake,
  limiters: Limiters,
  address: string,
  req: Request,
  res: Response,
): Promise<void> {
  try {
    await passLimiter(limiters.webhook, req, res);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'throttled') throw error;
    addresses.refuse(address, error.details.retryAfter ?? 1);
    // Where valid webhooks come from the same address, a refused one gets its true reason.
    if (!addresses.isKnown(address)) throw error;
  }
}

async function answer(intake: Intake, address: string, req: Request, res: Response): Promise<void> {
  const { runtime, addresses, budget } = intake;
  if (req.method === 'GET') {
    const text = (name: string): string => (typeof req.query[name] === 'string' ? req.query[name] : '');
    const challenge = await verifyHandshakeAnywhere(
      runtime,
      text('hub.mode'),
      text('hub.verify_token'),
      text('hub.challenge'),
    );
    if (challenge === null) throw new AppError('forbidden', 'The verify token is not known.');
    res.status(200).type('text/plain').set('X-Content-Type-Options', 'nosniff').send(challenge);
    return;
  }
  refuseMethod(req, ['GET', 'POST']);
  const digest = readSignature(req.get('x-hub-signature-256'));
  // A small text can inflate to a large one, and the upstream does not compress.
  if (!['', 'identity'].includes((req.get('content-encoding') ?? '').trim().toLowerCase()))
    throw new AppError('unsupported_media_type', 'Webhooks must not be compressed.');
  const release = budget.reserve(address, announcedBytes(req), addresses.isKnown(address));
  try {
    await receiveWebhook(runtime, await readRaw(req, res, webhookLimit), digest);
  } finally {
    release();
  }
  addresses.welcome(address);
  sendJson(res, 200, { status: 'ok' });
}

/** Returns how large the body may become: what its header announces, else as much as is read. */
function announcedBytes(req: Request): number {
  const length = Number(req.get('content-length') ?? Number.NaN);
  if (length > webhookLimit) throw new AppError('too_large', reason('bodyTooLarge'));
  return Number.isNaN(length) ? webhookLimit : length;
}
