import { fc, runs } from '../support/properties';
import { wakeIfDue, wakeOverdue } from '../../api/services/resources/conversations/snooze';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { movedClock } from '../support/clock';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
type Status = 'open' | 'resolved' | 'pending' | 'snoozed' | 'spam' | 'converted';

/** The service's clock, which the test moves. */
let now = Date.now();
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(now)) });
});
afterAll(() => desk.close());

/** Specification 3.1 in the fewest words. */
interface Model {
  status: Status;
  /** Milliseconds; null unless snoozed. */
  until: number | null;
  unread: number;
  /** What its timer is told of a snooze that ended by itself, until something newer happens. */
  ended: 'done' | 'woken_with_others' | 'superseded';
  /** What the trail shall say of the status, oldest first: from, to and whether somebody acted. */
  trail: [Status, Status, boolean][];
}

interface Real {
  readonly customer: TestCustomer;
}

const statuses: readonly Status[] = ['open', 'resolved', 'pending', 'spam', 'converted'];
const paths = ['/api/v1/conversations/', '/api/v1/contacts/'];
const patch = (real: Real, path: string, body: Json): Promise<{ status: number; body: Json }> =>
  desk.api.patch(`${path}${real.customer.handle}/`, body);

function move(model: Model, to: Status, acted: boolean): void {
  if (model.status !== to) model.trail.push([model.status, to, acted]);
  if (model.status !== to || to === 'snoozed') model.ended = 'superseded';
  model.status = to;
  if (to !== 'snoozed') model.until = null;
}

class SetStatus implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly to: Status,
    readonly path: string,
    readonly name: string,
  ) {}
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    const answer = await patch(real, this.path, { [this.name]: this.to });
    move(model, this.to, true);
    expect([answer.status, answer.body['conv_status'], answer.body['snoozed_until']]).toEqual([200, this.to, null]);
  }
  toString = (): string => `${this.name}=${this.to}`;
}

class Snooze implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly minutes: number,
    readonly named: boolean,
    readonly path: string,
  ) {}
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    const until = now + this.minutes * 60_000;
    const answer = await patch(real, this.path, {
      ...(this.named ? { conv_status: 'snoozed' } : {}),
      snoozed_until: new Date(until).toISOString(),
    });
    const allowed = this.minutes > 0 && (this.named || model.status === 'snoozed');
    expect(answer.status).toBe(allowed ? 200 : 400);
    if (!allowed) {
      expect(answer.body).toEqual({ snoozed_until: ['A future datetime is required to snooze.'] });
      return;
    }
    move(model, 'snoozed', true);
    model.until = until;
  }
  toString = (): string => `snooze ${this.minutes} min${this.named ? '' : ' (time only)'}`;
}

class Inbound implements fc.AsyncCommand<Model, Real> {
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    await real.customer.writes('Hello?');
    model.unread += 1;
    if (model.status !== 'snoozed') move(model, 'open', false);
  }
  toString = (): string => 'inbound';
}

class Read implements fc.AsyncCommand<Model, Real> {
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    expect((await desk.api.post(`/api/v1/conversations/${real.customer.handle}/read/`)).status).toBe(200);
    model.unread = 0;
  }
  toString = (): string => 'read';
}

/** Time goes on, and then the timer (this conversation's own, or the sweep) looks. */
class Wait implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly minutes: number,
    readonly by: 'timer' | 'sweep' | 'old timer',
  ) {}
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    now += this.minutes * 60_000;
    const row = await desk.runtime.db.row<{ id: number; snooze_version: number }>(
      `SELECT v.id, v.snooze_version FROM conversations v JOIN contacts c ON c.id = v.contact_id
        WHERE c.receiver_id = $handle`,
      { handle: real.customer.handle },
    );
    if (!row) throw new Error('no conversation');
    const due = model.until !== null && model.until <= now;
    if (this.by === 'sweep') {
      // The sweep leaves a moment to the timers themselves.
      now += 3_000;
      await wakeOverdue(desk.runtime);
      if (model.until !== null && model.until <= now - 2_000) {
        move(model, 'open', false);
        model.ended = 'woken_with_others';
      }
      return;
    }
    const version = this.by === 'timer' ? row.snooze_version : row.snooze_version - 1;
    const outcome = await wakeIfDue(desk.workspace.ctx, { conversationId: row.id, version });
    if (this.by === 'old timer') expect(outcome.kind).toBe(model.ended);
    else if (model.until === null) expect(outcome.kind).toBe('superseded');
    else if (due) expect(outcome).toEqual({ kind: 'done' });
    else {
      // By the database's clock, which went on meanwhile.
      expect(outcome).toEqual({ kind: 'not_due', waitMs: expect.any(Number) });
      const { waitMs } = outcome as { waitMs: number };
      expect(waitMs).toBeLessThanOrEqual(model.until - now);
      expect(waitMs).toBeGreaterThan(model.until - now - 60_000);
    }
    if (this.by === 'timer' && due) {
      move(model, 'open', false);
      model.ended = 'done';
    }
  }
  toString = (): string => `wait ${this.minutes} min, ${this.by}`;
}

class Check implements fc.AsyncCommand<Model, Real> {
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    const { body } = await desk.api.get(`/api/v1/conversations/${real.customer.handle}/`);
    expect({ status: body['conv_status'], until: body['snoozed_until'], unread: body['unread_count'] }).toEqual({
      status: model.status,
      until: model.until === null ? null : new Date(model.until).toISOString(),
      unread: model.unread,
    });
    const { body: trail } = await desk.api.get(`/api/v1/conversations/${real.customer.handle}/activity/?page_size=200`);
    const moves = trail.results
      .map((entry) => ({
        change: (entry['changes'] as Json)['conv_status'] as { from: string; to: string } | undefined,
        acted: entry['actor'] !== null,
      }))
      .filter(({ change }) => change !== undefined)
      .reverse()
      .map(({ change, acted }) => [change?.from, change?.to, acted]);
    expect(moves).toEqual(model.trail);
  }
  toString = (): string => 'check';
}

const path = fc.constantFrom(...paths);
const commands = [
  fc
    .tuple(fc.constantFrom(...statuses), path, fc.constantFrom('conv_status', 'conversation_status', 'status'))
    .map(([to, where, name]) => new SetStatus(to, where, name)),
  fc
    .tuple(fc.constantFrom(-5, 5, 30, 60), fc.boolean(), path)
    .map(([minutes, named, where]) => new Snooze(minutes, named, where)),
  fc.constant(new Inbound()),
  fc.constant(new Read()),
  fc
    .tuple(fc.constantFrom(1, 10, 45), fc.constantFrom('timer' as const, 'sweep' as const, 'old timer' as const))
    .map(([minutes, by]) => new Wait(minutes, by)),
  fc.constant(new Check()),
];

it('every sequence of writes, messages and timers goes as contract 6.2 says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 25 }), async (sequence) => {
      const customer = createCustomer(desk.workspace);
      await customer.writes('First');
      const model: Model = { status: 'open', until: null, unread: 1, ended: 'superseded', trail: [] };
      await fc.asyncModelRun(() => ({ model, real: { customer } }), sequence);
      await new Check().run(model, { customer });
    }),
    { numRuns: runs(10) },
  );
});
