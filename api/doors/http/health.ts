import { Router } from 'express';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { countSetAside } from '../../core/outbox';
import type { Runtime } from '../../core/runtime';
import { stateOf } from './request';
import { countStopped } from '../../services/accounts/stops';
import { sendJson } from './errorHandler';

/** `/healthz`, `/readyz` and `/metrics` (contract C1): no credential, not rate limited. */
export function healthRouter(runtime: Runtime, isStopping: () => boolean): Router {
  const router = Router();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by route pattern.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const stopped = new Gauge({
    name: 'stopped_senders',
    help: 'Accounts and phone numbers that the upstream refuses to send for.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const up = new Gauge({
    name: 'workflow_engine_up',
    help: 'Whether the workflow engine answered last.',
    registers: [registry],
  });

  const setAside = new Gauge({
    name: 'intents_set_aside',
    help: 'Intents that the workflow engine refused for good.',
    registers: [registry],
  });

  // Anybody may ask, as often as they like: whoever asks within a second shares one look at the database.
  const ready = shared(() => probe(runtime));
  const counts = shared(() => Promise.all([countStopped(runtime), countSetAside(runtime.db)]));

  router.use((req, res, next) => {
    const end = requests.startTimer();
    res.on('finish', () =>
      end({ method: req.method, route: stateOf(res).route ?? 'unmatched', status: res.statusCode }),
    );
    next();
  });
  router.get('/healthz', (_req, res) => {
    stateOf(res).route = '/healthz';
    sendJson(res, 200, { status: 'ok' });
  });
  router.get('/readyz', (_req, res, next) => {
    stateOf(res).route = '/readyz';
    ready()
      .then(({ database, engine }) => readiness(database, engine, isStopping()))
      .then(({ status, body }) => sendJson(res, status, body))
      .catch(next);
  });
  router.get('/metrics', (_req, res, next) => {
    stateOf(res).route = '/metrics';
    up.set(runtime.engine.state() === 'up' ? 1 : 0);
    counts()
      .then(([{ accounts, numbers }, intents]) => {
        setAside.set(intents);
        stopped.set({ kind: 'account' }, accounts);
        stopped.set({ kind: 'phone_number' }, numbers);
      })
      // Without the database there are still the other metrics.
      .catch(() => stopped.reset())
      .then(() => registry.metrics())
      .then((text) => res.type(registry.contentType).send(text))
      .catch(next);
  });
  return router;
}

const sharedMs = 1_000;

/** One look for everybody who asks while it is under way, and for a second after its end; failures are shared, too. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null;
  return () => {
    if (current) return current;
    const started = look();
    current = started;
    const forget = (): void => {
      setTimeout(() => (current = null), sharedMs).unref();
    };
    started.then(forget, forget);
    return started;
  };
}

async function probe(runtime: Runtime): Promise<{ database: 'up' | 'down'; engine: string }> {
  const [database, engine] = await Promise.all([
    runtime.db.ping().then(
      () => 'up' as const,
      () => 'down' as const,
    ),
    runtime.engine.probe(),
  ]);
  return { database, engine };
}

function readiness(
  database: 'up' | 'down',
  engine: string,
  stopping: boolean,
): { status: number; body: Record<string, unknown> } {
  const isReady = database === 'up' && !stopping;
  return {
    status: isReady ? 200 : 503,
    body: { status: stopping ? 'stopping' : isReady ? 'ok' : 'unavailable', database, temporal: engine },
  };
}
