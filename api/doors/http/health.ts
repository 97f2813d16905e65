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
  // The route is public: requests within one second share one check of the database.
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
      .then((state) => readiness(state, isStopping()))
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

/** What a process needs to be ready, and the state of Temporal, which it does not need. */
interface State {
  readonly database: 'up' | 'down';
  readonly temporal: string;
  /** What begins its workflow ids and task queues; null while the database is away or not migrated. */
  readonly prefix: string | null;
}

async function probe(runtime: Runtime): Promise<State> {
  const [database, temporal, prefix] = await Promise.all([
    runtime.db.ping().then(
      () => 'up' as const,
      () => 'down' as const,
    ),
    runtime.temporal.probe(),
    runtime.installation.prefix().catch(() => null),
  ]);
  return { database, temporal, prefix };
}

function readiness(
  { database, temporal, prefix }: State,
  stopping: boolean,
): { status: number; body: Record<string, unknown> } {
  const isReady = database === 'up' && prefix !== null && !stopping;
  return {
    status: isReady ? 200 : 503,
    body: {
      status: stopping ? 'stopping' : isReady ? 'ok' : 'unavailable',
      database,
      temporal,
      temporal_prefix: prefix,
    },
  };
}
