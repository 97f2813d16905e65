import { Chance } from './chance';
import { Cluster, type Process } from './cluster';
import { Days } from './days';
import { findViolations } from './invariants';
import { workflowOfTomorrow } from './ofIntents';
import { noFaults, Platform, type PlatformAccount } from './platform';
import { Receiver } from './receiver';
import { AppError, receiveWebhook, stoppedSql, workflows } from './seams';
import { surround } from './stand-ins';
import { Statements } from './statements';
import { Temporal } from './temporal';
import { signed, type Town } from './town';
import { enter } from './virtualTime';
import { drawnThemes, themes, type Theme, type ThemeName } from './themes';
import { acting, startMs, World } from './world';

/** How a run ended. */
export interface Outcome {
  readonly seed: number;
  readonly theme: ThemeName;
  readonly violations: readonly string[];
  readonly boundaries: number;
  readonly interleavings: number;
  readonly statements: number;
  readonly simulatedMs: number;
  readonly digest: string;
  /** The whole trace. */
  readonly lines: readonly string[];
}

interface RunOptions {
  readonly printsTrace: boolean;
  /** What the run is about; null: the seed says so. */
  readonly theme: ThemeName | null;
  readonly setClock: (ms: number) => void;
}

/** After so many boundaries a run is taken for one that never ends. */
const maxBoundaries = 30_000;
/** By then everything must have its end: messages are given up after a day, and rules wait three after a week. */
const maxSimulatedMs = 12 * 24 * 3_600_000;

/** A connection that was lost may be found broken so much later. */
const maxBrokenMs = 30_000;

/** What all parts of a run know. */
export interface Scene {
  readonly world: World;
  readonly statements: Statements;
  readonly temporal: Temporal;
  readonly platform: Platform;
  readonly receiver: Receiver;
  readonly cluster: Cluster;
  readonly town: Town;
  readonly violations: string[];
  /** From when on nothing goes wrong any more. */
  quietSinceMs: number;
  /** Whether the run has no faults at all. */
  isCalm: boolean;
}

/** Runs one seed in a database of its own. */
export async function runSeed(seed: number, databaseUrl: string, town: Town, options: RunOptions): Promise<Outcome> {
  const world = new World(seed, options);
  enter(world);
  const statements = await Statements.open(world, databaseUrl, options.setClock);
  const temporal = new Temporal(world, workflows);
  const platform = new Platform(world, town.accounts);
  const receiver = new Receiver(world);
  const theme = options.theme ?? new Chance(seed, 'theme').pick(drawnThemes);
  const { calls }: Theme = themes[theme];
  const cluster = new Cluster(world, statements, temporal, receiver, databaseUrl, calls);
  const scene: Scene = {
    world,
    statements,
    temporal,
    platform,
    receiver,
    cluster,
    town,
    violations: [],
    quietSinceMs: Infinity,
    isCalm: false,
  };
  surround({ world, temporal, platform });
  platform.deliver = (account, payload) => bringWebhook(scene, account, payload);
  try {
    const days = new Days(scene, theme);
    await days.prepare();
    days.begin();
    await play(scene, () => days.isOver());
    await days.coolDown();
    scene.quietSinceMs = world.nowMs;
    platform.faults = { ...noFaults };
    await play(scene, () => false);
    scene.violations.push(...(await findViolations(scene, days)));
  } catch (error) {
    scene.violations.push(
      `the run broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  const outcome = {
    seed,
    theme,
    violations: scene.violations,
    boundaries: world.boundaries,
    interleavings: world.interleavings,
    statements: statements.count,
    simulatedMs: world.nowMs - startMs,
    digest: world.trace.digest(),
    lines: world.trace.lines(),
  };
  for (const { party } of [...cluster.processes, temporal, platform, receiver]) world.end(party);
  await statements.close();
  return outcome;
}

/** Lets things happen until the phase is over, or nothing is left to happen. */
async function play(scene: Scene, isOver: () => boolean): Promise<void> {
  const { world, statements } = scene;
  const nextDue = dueLook(statements);
  while (!isOver()) {
    if (world.boundaries > maxBoundaries) throw new Error(`it does not end within ${maxBoundaries} boundaries`);
    if (world.nowMs - startMs > maxSimulatedMs) throw new Error('something never comes to its end (C16)');
    if (!(await world.step(nextDue))) return;
    await statements.endIdleTransactions();
  }
}

/** What waits for a time, or for nobody knows whom: its time in milliseconds, or Infinity. */
const dueSql = `
  SELECT extract(epoch FROM min(due)) * 1000 AS due FROM (
    SELECT min(available_at) AS due FROM outbox WHERE set_aside_at IS NULL AND workflow <> '${workflowOfTomorrow}'
    UNION ALL SELECT min(greatest(look_at, next_attempt_at, slot_at)) FROM messages
      WHERE delivery_state = 'queued' AND NOT ${stoppedSql('messages.phone_number_id')}
    UNION ALL SELECT min(deliver_by) + interval '5 minutes' FROM messages WHERE delivery_state = 'queued'
    UNION ALL SELECT min(claim_expires_at) FROM messages WHERE delivery_state = 'sending'
    UNION ALL SELECT min(updated_at) + interval '1 minute' FROM messages WHERE message_status = 'unknown'
    UNION ALL SELECT min(snoozed_until) FROM conversations WHERE conv_status = 'snoozed'
    UNION ALL SELECT min(look_at) FROM rule_runs
    UNION ALL SELECT min(send_at) FROM scheduled_messages WHERE state = 'scheduled'
    UNION ALL SELECT min(resync_at) FROM business_accounts
    -- Whether a token is taken again, the next regular read shows.
    UNION ALL SELECT min(synced_at) + interval '10 minutes' FROM business_accounts WHERE stopped_code = 190
    UNION ALL SELECT min(received_at) FROM inbox_events WHERE state = 'new'
    UNION ALL SELECT min(coalesce(next_attempt_at, created_at)) FROM webhook_deliveries WHERE state = 'pending'
    UNION ALL SELECT min(created_at) FROM webhook_events WHERE fanned_out_at IS NULL AND set_aside_at IS NULL
    UNION ALL SELECT min(created_at) FROM left_histories
    UNION ALL SELECT min(scheduled_at) FROM broadcasts WHERE status = 'scheduled'
    UNION ALL SELECT min(coalesce(moved_at, started_at)) + interval '2 minutes' FROM broadcasts
      WHERE status = 'running'
    -- One that waits for its messages waits for what they wait for, a hold perhaps: that is no work of each moment.
    UNION ALL SELECT min(created_at) FROM ticket_stage_moves v WHERE completed_at IS NULL AND NOT EXISTS (
      SELECT FROM ticket_stage_move_recipients r JOIN messages m ON m.id = r.message_id
      WHERE r.move_id = v.id AND r.state = 'pending' AND m.delivery_state = 'queued')
  ) AS all_of_it`;

/** Returns a look for it, which asks again only after statements have run. */
function dueLook(statements: Statements): () => Promise<number> {
  let known = Infinity;
  let count = -1;
  return async () => {
    if (statements.count === count) return known;
    const { rows } = await statements.monitor.query<{ due: string | null }>({ name: 'due', text: dueSql });
    count = statements.count;
    const due = rows[0]?.due ?? null;
    known = due === null ? Infinity : Number(due);
    return known;
  };
}

/** The platform brings a webhook until it is taken, each time to any process that serves. */
function bringWebhook(scene: Scene, account: PlatformAccount, payload: Record<string, unknown>): void {
  const { world, cluster, platform } = scene;
  const { raw, digest } = signed(account, payload);
  let tries = 0;
  const again = (): void => {
    tries += 1;
    world.after(
      platform.party,
      world.chance.spread(500, 20_000) * Math.min(tries, 10),
      'brings the webhook again',
      attempt,
    );
  };
  const attempt = (): void => {
    const serving = cluster.awake('api');
    if (serving.length === 0) return again();
    const to = world.chance.pick(serving);
    let isAnswered = false;
    const beganMs = world.nowMs;
    // No answer within 20 s: it is brought again, whatever became of the first one.
    const limit = world.after(platform.party, 20_000, 'waits no longer for an answer to the webhook', () => {
      if (!isAnswered) again();
    });
    acting.run(to.party, () => {
      receiveWebhook(to.runtime, raw, digest).then(
        () => answer(null),
        (error: unknown) => answer(error),
      );
    });
    const answer = (error: unknown): void => {
      world.park([to.party, platform.party], 'answers the webhook', () => {
        isAnswered = true;
        world.cancel(limit);
        if (error === null) return;
        noteFault(scene, to, error, beganMs);
        again();
      });
    };
  };
  world.park([platform.party], 'brings a webhook', attempt);
}

/** Notes an error that is no refusal, where no fault of the surroundings explains it. */
export function noteFault(
  { world, violations, cluster }: Scene,
  { party }: Process,
  error: unknown,
  sinceMs: number,
): void {
  const text = error instanceof Error ? error.message : String(error);
  world.note(party.name, `ends with ${text}`);
  if (error instanceof AppError || cluster.hasSuffered(party, sinceMs - maxBrokenMs)) return;
  violations.push(`${party.name} failed without a cause outside (C3): ${text}`);
}
