import { Router } from 'express';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
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
    answerReady(runtime, isStopping)
      .then(({ status, body }) => sendJson(res, status, body))
      .catch(next);
  });
  router.get('/metrics', (_req, res, next) => {
    stateOf(res).route = '/metrics';
    up.set(runtime.engine.state() === 'up' ? 1 : 0);
    countStopped(runtime)
      .then(({ accounts, numbers }) => {
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

async function answerReady(
  runtime: Runtime,
  isStopping: () => boolean,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const [database, engine] = await Promise.all([
    runtime.db.ping().then(
      () => 'up',
      () => 'down',
    ),
    runtime.engine.probe(),
  ]);
  const ready = database === 'up' && !isStopping();
  return {
    status: ready ? 200 : 503,
    body: { status: isStopping() ? 'stopping' : ready ? 'ok' : 'unavailable', database, temporal: engine },
  };
}
