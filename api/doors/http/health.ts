import { Router } from 'express';
import { Counter, Histogram } from 'prom-client';
import type { Runtime } from '../../core/runtime';
import { stateOf } from './request';
import { createProcessMetrics, shared } from '../../services/processes/maintenance/metrics';
import { sendJson } from './errorHandler';

/** `/healthz`, `/readyz` and `/metrics` (contract 1): no credential, not rate limited. */
export function healthRouter(runtime: Runtime, isStopping: () => boolean): Router {
  const router = Router();
  const metrics = createProcessMetrics(runtime);
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by route pattern.',
    labelNames: ['method', 'route', 'status'],
    registers: [metrics.registry],
  });
  const refusals = new Counter({
    name: 'http_refusals_total',
    help: 'Answers of 400 and above by route pattern and error code.',
    labelNames: ['route', 'code'],
    registers: [metrics.registry],
  });
  // Anybody may ask, as often as they like: whoever asks within a second shares one look at the database.
  const ready = shared(() => probe(runtime));

  router.use((req, res, next) => {
    const end = requests.startTimer();
    res.on('finish', () => {
      const route = stateOf(res).route ?? 'unmatched';
      end({ method: req.method, route, status: res.statusCode });
      if (res.statusCode >= 400) refusals.inc({ route, code: String(res.getHeader('X-Error-Code') ?? res.statusCode) });
    });
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
    metrics
      .read()
      .then((text) => res.type(metrics.contentType).send(text))
      .catch(next);
  });
  return router;
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
