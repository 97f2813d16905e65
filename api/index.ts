import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createApp } from './app';
import { reasonOf } from './core/http/faults';
import { serveOwnPages } from './core/http/ownPages';
import { answerClientError } from './doors/http/clientError';
import { apiMetrics } from './doors/http/health';
import { uploadBegins } from './doors/http/uploads';
import { loadConfig, type Config } from './core/config';
import { awaitDatabase } from './core/queue/persist';
import type { Timing } from './core/process';
import { createRuntime, type Runtime } from './core/runtime';
import { startDirectSends } from './services/delivery/direct';
import { holdAtStart } from './services/resources/accounts/fence';
import { noteBusyTime } from './services/processes/maintenance/busyDays';
import { customersTold } from './services/resources/messages/customerSigns';
import { tickIntakeClock } from './services/resources/messages/rows/settlement';

/**
 * How long the body of a request may take to come; a file of a hundred megabytes over a slow line takes longer, where a
 * credential has brought it.
 */
const bodyWithinMs = 30_000;
const uploadWithinMs = 300_000;
const intakeTickMs = 5_000;
const busyTimeMs = 60_000;
/** How long open requests may take to finish once no new ones are taken. */
const stopWithinMs = 15_000;
/** How often connections that have become idle meanwhile are closed. */
const closeIdleEveryMs = 50;

/**
 * Creates an HTTP server with limits on slow and idle clients (Node's own defaults leave them open for minutes). Idle
 * connections stay open longer than those of balancers (a minute): who closes first must not be the one who is asked.
 */
export function createHttpServer(handler: Parameters<typeof createServer>[1]): Server {
  const server = createServer(
    {
      requestTimeout: uploadWithinMs,
      headersTimeout: 10_000,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16_384,
      // Node would answer by itself, without the envelope of all errors.
      requireHostHeader: false,
    },
    (req, res) => {
      if (req.httpVersion === '1.1' && req.headers.host === undefined) {
        answerClientError(new Error('the request names no host'), req.socket);
        return;
      }
      limitBody(server, req);
      handler?.(req, res);
    },
  );
  server.on('clientError', answerClientError);
  server.maxHeadersCount = 100;
  server.maxConnections = 10_000;
  return server;
}

/** Refuses a request whose body does not come in time, as Node itself does with its head. */
function limitBody(server: Server, req: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  if (length === '0' && encoding === undefined) return;
  const error = Object.assign(new Error('the body did not come in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const timer = setTimeout(() => server.emit('clientError', error, req.socket), bodyWithinMs).unref();
  for (const event of ['end', 'close', uploadBegins]) req.once(event, () => clearTimeout(timer));
}

/** Advances the intake clock while this process can receive webhooks; the returned function stops it. */
function keepIntakeClock(runtime: Runtime): () => void {
  const timer = setInterval(() => {
    tickIntakeClock(runtime).catch((error: unknown) =>
      runtime.logger.debug(
        { event: 'intake_clock.not_advanced', errorName: error instanceof Error ? error.name : 'unknown' },
        'intake clock not advanced',
      ),
    );
  }, intakeTickMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Notes each minute for whom this process worked; the returned function stops it, and notes the rest. */
function noteBusyDays(runtime: Runtime): () => Promise<void> {
  const note = (): Promise<void> =>
    noteBusyTime(runtime).catch((error: unknown) =>
      runtime.logger.debug(
        { event: 'busy_time.not_noted', errorName: error instanceof Error ? error.name : 'unknown' },
        'busy time not noted',
      ),
    );
  const timer = setInterval(() => void note(), busyTimeMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    return note();
  };
}

/**
 * Closes a server: no new connections, what is under way is answered. Node closes idle connections once: one that
 * becomes idle after that, behind an answer or a stream, would be waited for as long as clients may keep it. Gives
 * whether all ended in time; what had not is cut off.
 */
async function closeServer(server: Server, underWay: Iterable<ServerResponse>): Promise<boolean> {
  for (const res of underWay) if (!res.headersSent) res.setHeader('Connection', 'close');
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeIdle = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  let inTime = true;
  const forced = setTimeout(() => {
    inTime = false;
    server.closeAllConnections();
  }, stopWithinMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(forced);
  return inTime;
}

/** Serves until a signal comes, with production's timing unless told otherwise. */
export async function main(timing?: Timing): Promise<void> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return;
  }
  const runtime = createRuntime(config, 'api', timing ? { timing } : {});
  let stopping = false;
  const stopped = new AbortController();
  const found = awaitDatabase(runtime, stopped.signal);
  if (config.deliveryHold) await found;
  await holdAtStart(runtime, stopped.signal);
  const app = createApp(runtime, { isStopping: () => stopping });
  let closeMetrics = (): Promise<void> => Promise.resolve();
  if (config.metricsPort > 0) {
    const { read, contentType } = apiMetrics(runtime);
    const page = async () => ({ status: 200, type: contentType, text: await read() });
    try {
      const at = { port: config.metricsPort, setting: 'METRICS_PORT' };
      ({ close: closeMetrics } = await serveOwnPages(runtime, at, { '/metrics': page }));
    } catch (error) {
      process.stderr.write(`${reasonOf(error)}\n`);
      process.exit(1);
    }
  }
  const underWay = new Set<ServerResponse>();
  const server = createHttpServer((req, res) => {
    underWay.add(res);
    res.once('close', () => underWay.delete(res));
    // What still comes is answered, and its connection is not used again.
    if (stopping) res.setHeader('Connection', 'close');
    app(req, res);
  });
  server.on('error', (error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EADDRINUSE'
        ? `Port ${config.port} is taken. Stop what uses it, or set PORT to another one.`
        : error.message;
    process.stderr.write(`${reason}\n`);
    process.exit(1);
  });
  server.listen(config.port, config.host, () =>
    runtime.logger.info({ event: 'api.listening', url: config.baseUrl, port: config.port }, 'api listens'),
  );
  const stopClock = keepIntakeClock(runtime);
  const stopNoting = noteBusyDays(runtime);
  const sends = startDirectSends(runtime);

  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    stopped.abort();
    runtime.logger.info({ event: 'api.stopping', signal }, 'api stops');
    stopClock();
    // `/readyz` is 503 from here: a balancer that has seen it sends nothing more.
    await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1_000));
    // What is accepted from now on goes by workflow.
    const sent = sends.stop();
    if (!(await closeServer(server, underWay)))
      runtime.logger.warn({ event: 'api.stop_forced' }, 'requests were cut off: they took too long');
    await sent;
    await customersTold(runtime);
    await stopNoting();
    await closeMetrics();
    await runtime.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}

if (require.main === module) void main();
