import type { Logger } from 'pino';
import { systemClock, type Clock } from './clock';
import type { Config } from './config';
import { createCounts, type Counts } from './counts';
import { createFileStore } from './files/create';
import type { FileStore } from './files/store';
import { createDb, type Db } from './db/database';
import { createLogger } from './logger';
import { LoopTime } from './loopTime';
import { createOutbox, type Outbox } from './queue/outbox';
import { createInstallation, type Installation } from './db/installation';
import { connectTemporal, type Temporal } from './temporal/client';
import { createMarkKey, type MarkKey } from './markKey';
import { createMail, type Mail } from './mail';
import { createProcess, patientTiming, usualTiming, type Process, type Timing } from './process';
import { loadTracing, noTracing, type Tracing } from './http/tracing';
import { createReplica, type Replica } from './db/replica';
import { createUpstream, type Upstream } from './platform/upstream';
import { createWebhookClient, type WebhookClient } from './http/webhookClient';

/** What a process of the service stands on; built once from the configuration and passed down. */
export interface Runtime {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly db: Db;
  /** Answers reads where it is configured. */
  readonly replica: Replica | null;
  readonly installation: Installation;
  readonly markKey: MarkKey;
  readonly temporal: Temporal;
  readonly outbox: Outbox;
  readonly upstream: Upstream;
  readonly webhooks: WebhookClient;
  /** Null where the installation has no mail. */
  readonly mail: Mail | null;
  readonly files: FileStore;
  readonly tracing: Tracing;
  readonly counts: Counts;
  readonly process: Process;
  /** For whom the event loop works. */
  readonly loopTime: LoopTime;
  /** Finishes dispatches under way, then closes every connection. */
  close(): Promise<void>;
}

/** Builds the runtime of the API, a worker, the CLI or a test. Nothing connects before it is used. */
export function createRuntime(
  config: Config,
  name: 'api' | 'worker' | 'admin' | 'test' | 'bench',
  options: {
    readonly logger?: Logger;
    readonly clock?: Clock;
    readonly webhooks?: WebhookClient;
    readonly timing?: Timing;
  } = {},
): Runtime {
  const logger = options.logger ?? createLogger(config.logLevel, name);
  const serves = name === 'api' || name === 'worker';
  const own = createProcess(options.timing ?? (serves ? usualTiming : patientTiming));
  const loopTime = new LoopTime();
  const begins = name === 'worker' ? undefined : (workspaceId: number | null) => loopTime.begin(workspaceId);
  const replica: Replica | null = createReplica(config, logger, () => db, begins);
  const db: Db = createDb(config.databaseUrl, {
    pool: config.databasePool || (name === 'worker' ? 15 : 10),
    name: `msgdesk-${name}`,
    prepare: config.databasePrepare,
    waitMs: own.timing.connectionWaitMs,
    pooled: config.databasePooled,
    ...(begins ? { begins } : {}),
    ...(replica ? { readsFrom: replica.current } : {}),
  });
  const tracing = serves ? loadTracing(config, name) : noTracing;
  const installation = createInstallation(config, db);
  const temporal = connectTemporal(config, logger, tracing, installation);
  const outbox = createOutbox(db, temporal, logger, tracing, own.timing);
  const upstream = createUpstream(config, { tracing });
  const counts = createCounts();
  const files = createFileStore(config, (error) => {
    counts.fileStoreFailed();
    logger.error({ event: 'files.store_failed', alert: 'file_store', reason: error.message }, 'the file store failed');
  });
  const webhooks = options.webhooks ?? createWebhookClient(config);
  return {
    config,
    logger,
    clock: options.clock ?? systemClock,
    db,
    replica,
    installation,
    markKey: createMarkKey(config, db),
    temporal,
    outbox,
    upstream,
    webhooks,
    mail: createMail(config, logger),
    files,
    tracing,
    counts,
    process: own,
    loopTime,
    async close() {
      await outbox.drain();
      await temporal.close();
      await upstream.close();
      await webhooks.close();
      files.close();
      await replica?.close();
      await db.close();
      await tracing.close();
    },
  };
}

/**
 * Declares something that each process keeps in memory; the function that this returns gives it, and makes it when it
 * is first asked for. Modules keep nothing of a process themselves: one program may run several, each with its own
 * database.
 */
export function kept<T>(make: (runtime: Runtime) => T): (runtime: Runtime) => T {
  function give(runtime: Runtime): T {
    const { memory } = runtime.process;
    if (!memory.has(give)) memory.set(give, make(runtime));
    return memory.get(give) as T;
  }
  return give;
}
