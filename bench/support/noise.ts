import { availableParallelism } from 'node:os';
import { snoozeIntent } from '../../workflows/starts';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { control, type Context, type Installation } from './context';
import { machineMs } from './processes';
import { sleep, until } from './stats';
import { createTenant, mustCall, seedCustomers, type Tenant } from './tenants';

/** How much the noisy workspaces do. */
export interface Loudness {
  readonly workspaces: number;
  /** Each of them sends one broadcast: to so many, at most so many a second, with three statuses each. */
  readonly recipients: number;
  readonly perSecond: number;
  /** Conversations with a queued message, of a workspace whose token has expired; at most, where it is paced. */
  readonly queued: number;
  /** Snoozes that are over in the same second, of the first ten workspaces; at most, where it is paced. */
  readonly wakes: number;
  /** All of it is made so small that this share of all processors is busy; null paces nothing. */
  readonly busyShare: number | null;
}

/** How loud the noise was in the end. */
interface Paced {
  /** Messages a second that each broadcast's number was left with. */
  readonly perSecond: number;
  readonly queued: number;
  readonly wakes: number;
  /** The busy share of all processors in the busiest stretch between two looks. */
  readonly highestShare: number;
}

/** What the noisy workspaces do, from its beginning to the proof that all of it was done once. */
interface Noise {
  /**
   * Begins; `wakesAfterMs` later the snoozes are over, and after `liftAfterMs` the token is good again. `busyAlone` is
   * the share of all processors that is busy without it.
   */
  begin(wakesAfterMs: number, liftAfterMs: number, busyAlone: number): Promise<void>;
  /** Ends the pacing and lets the rest go out fast. */
  paced(): Promise<Paced>;
  /** Waits for the end and tells what is missing or came twice; empty where all is well. */
  audit(): Promise<readonly string[]>;
}

const wakingWorkspaces = 10;
/** How often the busy share is looked at: long enough that a second's wakes do not decide alone. */
const paceEveryMs = 3_000;
/** A broadcast begins with this and goes on with it, however busy the machine is. */
const minPerSecond = 1;
/** Snoozes that are armed first, to see what one costs this machine: to wake it costs about as much. */
const sampledWakes = 30;
/** So long a crowd's wakes, and a backlog's messages, may take all that the noise may use of the processors. */
const burstMs = 2_000;
/** What each number may send once nothing is timed any more. */
const fastPerSecond = 50;
const endMs = 900_000;

/** Prepares the workspaces; nothing is sent yet, but the snoozes are armed, for which `begin` has to come in time. */
export async function prepareNoise(
  context: Context,
  installation: Installation,
  apiUrl: string,
  loud: Loudness,
): Promise<Noise> {
  const tenants: Tenant[] = [];
  for (let index = 0; index < loud.workspaces; index += 1)
    tenants.push(await createTenant(installation, 10 + index, apiUrl, loud.perSecond));
  for (const tenant of tenants) await seedCustomers(installation, tenant, loud.recipients);
  const expired = await createTenant(installation, 1, apiUrl, 250);
  await seedCustomers(installation, expired, loud.queued);
  await installation.sql('VACUUM ANALYZE');
  context.log(`${tenants.length} noisy workspaces with ${tenants.length * loud.recipients} customers`);

  const broadcasts: { readonly tenant: Tenant; readonly id: number }[] = [];
  for (const tenant of tenants) {
    const { id } = await mustCall<{ id: number }>(apiUrl, tenant, 'POST', 'broadcasts/', () => ({
      name: 'Loud',
      template_id: tenant.templateId,
      phone_number_id: tenant.numberId,
      audience: { all: true },
      template_variables: {
        body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'today' } },
      },
    }));
    broadcasts.push({ tenant, id });
  }
  const sleepers = tenants.slice(0, wakingWorkspaces);
  if (Math.max(loud.wakes / sleepers.length, sampledWakes) > loud.recipients)
    throw new Error('too few customers for the snoozes');
  let armed = 0;
  let { queued } = loud;

  async function arm({ ctx }: Tenant, dueAt: Date, each: number): Promise<void> {
    await ctx.runtime.db.transaction(async () => {
      const rows = await ctx.runtime.db.rows<{ id: number }>(
        `UPDATE conversations SET conv_status = 'snoozed', snoozed_until = $dueAt, snooze_version = 1
         WHERE id IN (SELECT id FROM conversations WHERE workspace_id = $workspaceId AND snoozed_until IS NULL
           ORDER BY id LIMIT $each)
         RETURNING id`,
        { dueAt, workspaceId: ctx.workspaceId, each },
      );
      armed += rows.length;
      await ctx.runtime.outbox.addMany(
        ctx.workspaceId,
        rows.map(({ id }) => snoozeIntent(ctx.workspaceId, id, dueAt, 1)),
      );
    });
  }

  const allArmed = (): Promise<void> =>
    until('arming the snoozes', endMs, async () => (await countOf('FROM outbox')) === 0, 500);

  /** Arms a few snoozes, and returns how many this machine wakes in `burstMs` with what is free for the noise. */
  async function burstOf(freeShare: number, dueAt: Date): Promise<number> {
    const before = machineMs();
    for (const tenant of sleepers) await arm(tenant, dueAt, Math.ceil(sampledWakes / sleepers.length));
    await allArmed();
    const after = machineMs();
    const all = after.all - before.all;
    // The quiet workspace rests meanwhile.
    const usedMs = Math.max(1, all - (after.idle - before.idle));
    const freeMs = Math.max(0, freeShare) * burstMs * availableParallelism();
    context.log(`a snooze took ${(usedMs / armed).toFixed(1)} ms of processor to arm`);
    return Math.floor((freeMs * armed) / usedMs);
  }

  /** Stores what an agent of the expired workspace wrote, one message in each conversation. */
  async function queueMessages(): Promise<void> {
    const { ctx, numberId } = expired;
    await ctx.runtime.db.rows(
      `WITH asked AS (
         UPDATE conversations SET send_seq = 1
         WHERE id IN (SELECT id FROM conversations WHERE workspace_id = $workspaceId ORDER BY id LIMIT $queued)
         RETURNING id
       )
       INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
         delivery_state, opaque, send_seq, deliver_by)
       SELECT $workspaceId, a.id, p.id, 'outbound', 'text', '{"type": "text", "text": {"body": "Hello"}}', 'queued',
         'queued', gen_random_uuid(), 1, now() + interval '24 hours'
       FROM asked a, phone_numbers p WHERE p.phone_number_id = $numberId`,
      { workspaceId: ctx.workspaceId, numberId, queued },
    );
  }

  const tokenOf = async (token: string): Promise<void> => {
    await control(installation, 'accounts', { business_account_id: expired.accountId, access_token: token });
  };
  const sentOf = async ({ numberId }: Tenant): Promise<number> =>
    (await control<{ count: number }>(installation, `sent/count?phone_number_id=${numberId}`)).count;
  const countOf = async (statement: string, values: readonly unknown[] = []): Promise<number> =>
    (await installation.sql<{ count: number }>(`SELECT count(*)::int AS count ${statement}`, values))[0]?.count ?? 0;
  let lifted: Promise<void> = Promise.resolve();

  const numberIds = tenants.map(({ numberId }) => numberId);
  let perSecond = loud.busyShare === null ? loud.perSecond : minPerSecond;
  let highestShare = 0;
  let pacing = true;
  let pacer: Promise<void> = Promise.resolve();

  async function allow(mps: number): Promise<void> {
    await installation.sql('UPDATE phone_numbers SET throughput_mps = $1 WHERE phone_number_id = ANY($2)', [
      mps,
      numberIds,
    ]);
  }

  /** Lets the noisy numbers send as much as leaves the machine as free as it shall be. */
  async function pace(busyShare: number, busyAlone: number): Promise<void> {
    let before = machineMs();
    while (pacing) {
      await sleep(paceEveryMs);
      const now = machineMs();
      const busy = 1 - (now.idle - before.idle) / (now.all - before.all);
      before = now;
      highestShare = Math.max(highestShare, busy);
      // What the noise may use against what it uses: twice as much at most, so that one calm look misleads for little.
      const factor = (busyShare - busyAlone) / Math.max(busy - busyAlone, 0.01);
      perSecond = Math.round(perSecond * Math.max(0, Math.min(2, factor)));
      perSecond = Math.min(loud.perSecond, Math.max(minPerSecond, perSecond));
      await allow(perSecond);
    }
  }

  return {
    async begin(wakesAfterMs, liftAfterMs, busyAlone) {
      // About a hundred timers a second are armed on two cores.
      const foreseenMs = 15_000 + loud.wakes * 18;
      const dueAt = new Date(Date.now() + foreseenMs + wakesAfterMs);
      const { busyShare } = loud;
      let { wakes } = loud;
      if (busyShare !== null) {
        await allow(perSecond);
        const burst = await burstOf(busyShare - busyAlone, dueAt);
        [wakes, queued] = [Math.min(wakes, burst), Math.min(queued, Math.max(1, burst))];
      }
      const each = Math.ceil((wakes - armed) / sleepers.length);
      const begun = Date.now();
      if (each > 0) for (const tenant of sleepers) await arm(tenant, dueAt, each);
      await allArmed();
      context.log(`${armed} snoozes armed in ${Math.round((Date.now() - begun) / 1_000)} s`);
      const left = dueAt.getTime() - wakesAfterMs - Date.now();
      if (left < 0) context.log(`arming took ${Math.round(-left / 1_000)} s more than foreseen: they wake earlier`);
      await sleep(Math.max(0, left));
      await tokenOf('another');
      await queueMessages();
      for (const { tenant, id } of broadcasts) await mustCall(apiUrl, tenant, 'POST', `broadcasts/${id}/confirm/`);
      if (busyShare !== null) {
        pacer = pace(busyShare, busyAlone);
        pacer.catch(() => undefined);
      }
      lifted = sleep(liftAfterMs).then(async () => {
        const early = await sentOf(expired);
        if (early > 0) throw new Error(`${early} messages were sent with an expired token`);
        await tokenOf(expired.accessToken);
        await syncWorkspace(expired.ctx, { resume: true });
        context.log(`the token is good again; ${queued} messages go out`);
      });
      lifted.catch(() => undefined);
    },
    async paced() {
      pacing = false;
      await pacer;
      await allow(fastPerSecond);
      return { perSecond, queued, wakes: armed, highestShare };
    },
    async audit() {
      await lifted;
      const wrong: string[] = [];
      const expect = (what: string, is: number, wanted: number): void => {
        if (is !== wanted) wrong.push(`${what}: ${is} instead of ${wanted}`);
      };
      const ids = broadcasts.map(({ id }) => id);
      await until(
        'the end of the broadcasts',
        endMs,
        async () =>
          (await countOf(`FROM broadcasts WHERE id = ANY($1) AND status = 'running'`, [ids])) === 0 &&
          (await sentOf(expired)) >= queued &&
          (await countOf(`FROM inbox_events WHERE state = 'new'`)) === 0,
        2_000,
      ).catch((error: unknown) => wrong.push(String(error)));
      for (const { tenant } of broadcasts)
        expect(`sent of workspace ${tenant.ctx.workspaceId}`, await sentOf(tenant), loud.recipients);
      expect('sent with the renewed token', await sentOf(expired), queued);
      const doubled = await control<{ count: number }>(installation, 'sent/duplicates');
      expect('sent twice', doubled.count, 0);
      const spaces = sleepers.map(({ ctx }) => ctx.workspaceId);
      expect('woken', await countOf(`FROM events WHERE kind = 'woken' AND workspace_id = ANY($1)`, [spaces]), armed);
      expect(
        'woken, each once',
        await countOf(
          `FROM (SELECT DISTINCT subject_id FROM events WHERE kind = 'woken' AND workspace_id = ANY($1)) woken`,
          [spaces],
        ),
        armed,
      );
      expect('set aside', await countOf(`FROM inbox_events WHERE state = 'parked'`), 0);
      return wrong;
    },
  };
}
