import { asyncLocalStorage as activityContext } from '@temporalio/activity';
import pino from 'pino';
import { usualTiming, type Timing } from '../../api/core/process';
import type { WebhookClient } from '../../api/core/http/webhookClient';
import {
  createActivities,
  createApp,
  createRuntime,
  ensureSweeps,
  loadConfig,
  startParts,
  tickIntakeClock,
  type Activities,
  type Config,
  type Runtime,
} from './seams';
import type { Statements } from './statements';
import type { Temporal } from './temporal';
import { missAsOlder } from './versions';
import { acting, looking, party, type Party, type World } from './world';

type Kind = 'api' | 'worker';

/** A simulated process of the service. */
export interface Process {
  readonly kind: Kind;
  readonly party: Party;
  readonly runtime: Runtime;
  readonly beganMs: number;
  /** Takes requests as its server would. */
  readonly handler: () => ReturnType<typeof createApp>;
}

/** As in `api/index`. */
const intakeTickMs = 5_000;

/** The processes of one installation: they come, die and go. */
export class Cluster {
  readonly processes: Process[] = [];
  /** Lines that speak of a fault of the service's own. */
  readonly faults: string[] = [];
  /** Processes that died or stood still, and when. */
  readonly ends: { readonly party: Party; readonly atMs: number }[] = [];
  /** Processes that take nothing more. */
  private readonly leaving = new Set<Party>();
  /** How each process ends what it does beside requests and activities. */
  private readonly stops = new Map<Party, () => Promise<void>>();
  /** Requests and activities that each process has in its hands. */
  private readonly under = new Map<Party, number>();
  private readonly config: Config;
  private names = 0;

  constructor(
    private readonly world: World,
    private readonly statements: Statements,
    private readonly temporal: Temporal,
    private readonly webhooks: WebhookClient,
    databaseUrl: string,
    calls?: number,
  ) {
    const config = configOf(databaseUrl);
    this.config = { ...config, platformCalls: calls ?? config.platformCalls };
  }

  live(kind: Kind): Process[] {
    return this.processes.filter((one) => one.kind === kind && one.party.alive);
  }

  /** Those that can do something now. */
  awake(kind: Kind): Process[] {
    return this.live(kind).filter(
      ({ party: self }) => self.asleepUntilMs <= this.world.nowMs && !this.leaving.has(self),
    );
  }

  start(kind: Kind, { isOlder = false }: { readonly isOlder?: boolean } = {}): Process {
    this.names += 1;
    const self = party(`${kind}${this.names}`, isOlder);
    this.world.note(self.name, isOlder ? 'starts, of the version before' : 'starts');
    return acting.run(self, () => {
      const runtime = createRuntime(this.config, kind, {
        logger: this.loggerOf(self),
        webhooks: this.webhooks,
        timing,
      });
      keepConnections(runtime);
      waitForFiles(this.world, runtime);
      let app: ReturnType<typeof createApp> | undefined;
      // Only where it is asked: making it takes as long as some hundred boundaries.
      const handler = (): ReturnType<typeof createApp> => (app ??= createApp(runtime));
      const process = { kind, party: self, runtime, beganMs: this.world.nowMs, handler };
      this.processes.push(process);
      const stopParts = startParts(kind, runtime);
      this.stops.set(self, stopParts);
      if (kind === 'api') setInterval(() => void tickIntakeClock(runtime).catch(() => undefined), intakeTickMs);
      else {
        const activities = createActivities(runtime);
        this.temporal.register({
          party: self,
          perform: (name, input, signal) =>
            this.serve(process, async () => {
              if (isOlder) missAsOlder(name);
              return perform(activities, name, input, signal);
            }),
        });
        void looking.run(true, () => this.keepSweeps(process));
      }
      return process;
    });
  }

  /** Ends a process as a power cut does. */
  async kill({ party: dead }: Process): Promise<void> {
    this.ends.push({ party: dead, atMs: this.world.nowMs });
    this.world.end(dead);
    this.statements.journal.excuse(dead, 'died');
    this.temporal.missHeartbeats(dead);
    await this.statements.abandon(dead);
  }

  /** Does a request in the name of a process, which an ordered stop waits for. */
  async serve<T>({ party: self }: Process, work: () => Promise<T>): Promise<T> {
    this.under.set(self, (this.under.get(self) ?? 0) + 1);
    try {
      return await acting.run(self, work);
    } finally {
      this.under.set(self, (this.under.get(self) ?? 0) - 1);
    }
  }

  /** Ends a process in order: it takes nothing more, and brings to its end what it has begun. */
  async stop(leaving: Process): Promise<void> {
    const { party: self } = leaving;
    this.world.note(self.name, 'is asked to stop');
    this.leaving.add(self);
    this.temporal.unregister(self);
    await acting.run(self, async () => {
      const stopped = this.stops.get(self)?.();
      while ((this.under.get(self) ?? 0) > 0)
        await new Promise<void>((resolve) => void this.world.after(self, 100, 'waits for what is under way', resolve));
      await stopped;
    });
    this.world.park([self], 'has stopped', async () => {
      this.world.end(self);
      this.temporal.missHeartbeats(self);
      await this.statements.abandon(self);
    });
  }

  /** Ends in order what is of the version before: the newer ones have taken over. */
  stopOlder(): void {
    for (const one of this.processes.filter(({ party: { alive, isOlder } }) => alive && isOlder))
      if (!this.leaving.has(one.party)) void this.stop(one);
  }

  /** Lets a process stand still, as a machine does that is moved or out of memory. */
  freeze({ party: self }: Process, forMs: number): void {
    this.ends.push({ party: self, atMs: this.world.nowMs });
    self.asleepUntilMs = this.world.nowMs + forMs;
    this.statements.journal.excuse(self, 'froze');
    this.temporal.missHeartbeats(self);
  }

  /** Whether a process died, stood still or lost the database since a time. */
  hasSuffered(self: Party, sinceMs: number): boolean {
    return (
      this.ends.some(({ party: other, atMs }) => other === self && atMs >= sinceMs) ||
      this.statements.hasTroubled(self, sinceMs)
    );
  }

  private async keepSweeps({ party: self, runtime }: Process): Promise<void> {
    while (self.alive) {
      try {
        await ensureSweeps(runtime);
        await new Promise<void>(
          (resolve) => void this.world.after(self, 60_000, 'looks for the sweeps', resolve, { soft: true }),
        );
      } catch {
        await new Promise<void>(
          (resolve) => void this.world.after(self, 1_000, 'looks for the sweeps', resolve, { soft: true }),
        );
      }
    }
  }

  private loggerOf(self: Party): Runtime['logger'] {
    return pino(
      { level: 'warn', base: null, timestamp: false },
      {
        write: (line: string) => {
          const { event = '', msg = '', error, reason } = JSON.parse(line) as Record<string, unknown>;
          const detail = reason ?? (error ? JSON.stringify(error).slice(0, 300) : '');
          this.world.note(self.name, `logs ${String(event)}: ${String(detail || msg)}`);
          if (event === 'fault.unexpected') this.faults.push(`${self.name}: ${String(detail)}`);
        },
      },
    );
  }
}

/** Connections are waited for in simulated time, in which a crowd of processes takes its turns. */
const timing: Timing = { ...usualTiming, connectionWaitMs: 60_000, unknownForMs: 60_000 };

function configOf(databaseUrl: string): Config {
  return loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    MSGAPP_API_URL: 'http://platform.test',
    WEBHOOK_ALLOW_PRIVATE: '1',
  });
}

/** Makes a runtime outside of any simulated process, for what is there before a run begins. */
export function preparingRuntime(databaseUrl: string): Runtime {
  return createRuntime(configOf(databaseUrl), 'test', { logger: pino({ level: 'silent' }), timing });
}

/** Connections that were idle for a while would be closed, and opened again, at each leap of the clock. */
function keepConnections({ db }: Runtime): void {
  const { pool } = db.sequelize.connectionManager as unknown as { pool: { _scheduleRemoveIdle(): void } };
  pool._scheduleRemoveIdle = () => undefined;
}

/** The store of files is real, and how long its disk takes is nobody's choice: the scheduler waits for it. */
function waitForFiles(world: World, { files }: Runtime): void {
  const tidy = files.tidy.bind(files);
  const remove = files.remove.bind(files);
  const counted = async (work: Promise<void>): Promise<void> => {
    world.io += 1;
    try {
      await work;
    } finally {
      world.io -= 1;
    }
  };
  files.tidy = () => counted(tidy());
  files.remove = (name) => counted(remove(name));
}

function perform(activities: Activities, name: string, input: unknown[], signal: AbortSignal): Promise<unknown> {
  const activity = (activities as unknown as Record<string, ((...input: unknown[]) => Promise<unknown>) | undefined>)[
    name
  ];
  if (!activity) throw new Error(`there is no activity ${name}`);
  const context = {
    cancellationSignal: signal,
    cancelled: new Promise(() => undefined),
    heartbeat: () => undefined,
    info: { activityType: name, attempt: 1 },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined },
  };
  return activityContext.run(context as unknown as Parameters<typeof activityContext.run>[0], () => activity(...input));
}
