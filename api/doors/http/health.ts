import { Router, type Request, type Response } from 'express';
import { Counter, Histogram } from 'prom-client';
import { kept, type Runtime } from '../../core/runtime';
import { platformPath, stateOf } from './request';
import { createProcessMetrics, shared } from '../../services/processes/maintenance/metrics';
import { sendJson } from './errorHandler';

/** The methods that are counted by their names: HTTP has three dozen, and a caller chooses. */
const namedMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** Stands for the route of what was refused before it mattered which one it was. */
const noRoute = 'refused';

/**
 * Returns the labels under which an answer is counted. What a caller without a credential is refused, and methods and
 * haste that no route takes, are counted without a route: a stranger makes no figures, and no scrape grows by them.
 */
function labelsOf(req: Request, res: Response): { readonly method: string; readonly route: string } {
  const { route = 'unmatched', credential } = stateOf(res);
  const { statusCode: status } = res;
  const isStranger = credential === undefined && status >= 300 && status < 500;
  if (isStranger || status === 405 || status === 429) return { method: 'any', route: noRoute };
  return { method: namedMethods.has(req.method) ? req.method : 'other', route };
}

/** The metrics of a process, wherever it serves them. */
export const apiMetrics = kept(createProcessMetrics);

/** `/healthz`, `/readyz` and, without a port of their own, `/metrics` (contract 1): no credential, not rate limited. */
export function healthRouter(runtime: Runtime, isStopping: () => boolean): Router {
  const router = Router();
  const metrics = apiMetrics(runtime);
  const requests = new Histogram({
    name: 'msgdesk_http_request_duration_seconds',
    help: 'Duration of HTTP requests by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.01, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics.registry],
  });
  const refusals = new Counter({
    name: 'msgdesk_http_refusals_total',
    help: 'Answers of 400 and above by route pattern and error code.',
    labelNames: ['route', 'code'],
    registers: [metrics.registry],
  });
  // The route is public: requests within one second share one check of the database.
  const ready = shared(() => probe(runtime));

  router.use((req, res, next) => {
    const end = requests.startTimer();
    res.on('finish', () => {
      const { method, route } = labelsOf(req, res);
      end({ method, route, status: res.statusCode });
      if (res.statusCode < 400) return;
      // The platform has no credential but its signature: its refusals are told apart from those of strangers.
      const from = stateOf(res).route === platformPath ? platformPath : route;
      refusals.inc({ route: from, code: String(res.getHeader('X-Error-Code') ?? res.statusCode) });
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
  if (runtime.config.metricsPort > 0) return router;
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
