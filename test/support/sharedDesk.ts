/*
 * A workspace of one's own in a server that the files of a lane share.
 *
 *   let desk: TestApi;
 *   beforeAll(async () => { desk = await sharedDesk('plain'); });
 *   afterAll(() => desk.close());
 *
 * `plain` has a sandbox, `worker` a worker as well, `no sandbox` neither. The first file that asks starts the server,
 * and it is closed with the lane; a file that is run alone has it for itself. All else is as with `startApi`: files run
 * one after the other, so the stand-in of the platform begins empty with each, `settled` and `work` look at the file's
 * own workspaces, and `onClose` counts for the file. The database and the runtime have what earlier files left: count
 * rows by workspace. Subscribers may have addresses of this machine (WEBHOOK_ALLOW_PRIVATE), members' browsers are
 * pushed to (VAPID_PRIVATE_KEY), a proxy is trusted, and a `clock` is the file's: the time is real again with the next
 * one. Without a worker there is no Temporal either: intents stay in the outbox.
 *
 *   desk = await sharedDesk('no sandbox', { env: { RATE_LIMIT_PER_MINUTE: '3' } });
 *
 * With settings, leases, a log or a sender of webhooks of its own, a file asks a further process of the installation.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock, type Clock } from '../../api/core/clock';
import { startServer, withWorkspace, workOf, type StartApiOptions, type TestApi, type TestServer } from './api';

/** What a lane can share. Where no worker runs, nothing would take what Temporal is given: it is away. */
const deskKinds = {
  plain: { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } },
  worker: { worker: true },
  'no sandbox': { sandbox: false, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } },
} as const satisfies Record<string, StartApiOptions>;
export type DeskKind = keyof typeof deskKinds;

/** A server, and the time by which it goes at present. */
interface Shared {
  readonly server: TestServer;
  clock: Clock;
}

/** The servers that run; only where a lane closes them. */
let kept: Map<DeskKind, Promise<Shared>> | undefined;

/** Makes `sharedDesk` give the same servers until `closeSharedDesks`. */
export function shareDesks(): void {
  kept = new Map();
}

/** Closes the servers. */
export async function closeSharedDesks(): Promise<void> {
  const servers = [...(kept?.values() ?? [])];
  kept = undefined;
  for (const shared of servers) await (await shared).server.close();
}

/** What a file may have of its own; more than a clock is a further process. */
type OwnOptions = Pick<StartApiOptions, 'clock' | 'env' | 'hostname' | 'logger' | 'timing' | 'webhooks'>;

/** Returns a new workspace in the lane's server of this kind; see the head of this file. */
export async function sharedDesk(kind: DeskKind, { clock, ...own }: OwnOptions = {}): Promise<TestApi> {
  const running = kept?.get(kind) ?? startShared(kind);
  kept?.set(kind, running);
  const shared = await running;
  const isAlone = kept === undefined;
  const process =
    Object.keys(own).length === 0
      ? shared.server
      : await startServer({ ...own, ...(clock ? { clock } : {}), beside: shared.server.test });
  const desk = await openDesk(process, kind === 'worker');
  shared.clock = clock ?? systemClock;
  desk.test.onClose(async () => {
    shared.clock = systemClock;
    if (process !== shared.server) await process.close();
    if (isAlone) await shared.server.close();
  });
  return desk;
}

/**
 * Gives a file, or a test, its part of a server: the workspaces that are made from now on. What is left to `onClose` is
 * done when the part is closed.
 */
export async function openDesk(server: TestServer, worker = false): Promise<TestApi> {
  const { runtime, test } = server;
  test.sandbox?.reset();
  const last = await runtime.db.row<{ id: number }>('SELECT coalesce(max(id), 0)::int AS id FROM workspaces');
  const cleanups: (() => Promise<void>)[] = [];
  async function close(): Promise<void> {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  }
  const part = Object.defineProperties({} as TestServer, Object.getOwnPropertyDescriptors(server));
  return withWorkspace(
    Object.assign(part, workOf(test, { worker, fromWorkspace: (last?.id ?? 0) + 1 }), {
      test: { ...test, onClose: (cleanup: () => Promise<void>) => void cleanups.push(cleanup), close },
      close,
    }),
  );
}

async function startShared(kind: DeskKind): Promise<Shared> {
  const options: StartApiOptions = deskKinds[kind];
  const time = { clock: systemClock as Clock };
  const server = await startServer({
    ...options,
    env: {
      WEBHOOK_ALLOW_PRIVATE: '1',
      TRUST_PROXY: '1',
      TEMPORAL_UI_URL: 'http://127.0.0.1:8233',
      VAPID_PRIVATE_KEY: randomBytes(32).toString('base64'),
      VAPID_SUBJECT: 'mailto:ops@desk.test',
      SECURITY_CONTACT: 'mailto:security@desk.test,https://desk.test/security',
      ...options.env,
    },
    clock: {
      now: () => time.clock.now(),
      dueOffsetMs: () => time.clock.dueOffsetMs?.() ?? 0,
      pause: (ms) => (time.clock.pause ? time.clock.pause(ms) : pause(ms)),
    },
  });
  return Object.assign(time, { server });
}
