import { createRuntime, type Runtime } from '../../api/core/runtime';
import type { Operation } from '../../api/core/http/operations';
import { operations } from '../../api/operations';
import { createBroadcast } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createMacro, ownerSession, step } from '../factories/macros';
import { unique, uniquePhone } from '../factories/unique';
import { writeSamples, type WriteSample } from '../factories/writeSamples';
import { startApi, type TestApi } from '../support/api';
import type { ApiAnswer, ApiClient } from '../support/client';
import { eventually } from '../support/eventually';
import { faultKinds, injectFaults, type FaultKind, type Faults } from '../support/faults';
import { changedCounts, rowMark } from '../support/snapshot';
import { impatient } from '../support/timing';
import { startWorker } from '../support/worker';

/*
 * Every statement of every request that takes an Idempotency-Key fails once in every way, BEGIN and COMMIT included.
 * The repeat with the same key must leave exactly the rows that one undisturbed request leaves.
 */

let desk: TestApi;
let session: ApiClient;
let faults: Faults;
let background: Runtime;
let stopWorker: (() => Promise<void>) | null = null;

beforeAll(async () => {
  // Sequelize says each time that it lets a broken connection go.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  desk = await startApi({ timing: impatient });
  session = (await ownerSession(desk.workspace)).api;
  // The worker has connections of its own, under another name: only the request's statements fail.
  background = createRuntime(desk.runtime.config, 'worker', { logger: desk.runtime.logger, timing: desk.test.timing });
  faults = injectFaults('msgdesk-test');
});
afterAll(async () => {
  faults.restore();
  await stopWorker?.();
  await background.close();
  await desk.close();
});

type MakeSample = (phone: string) => Promise<WriteSample>;
interface Case {
  readonly name: string;
  readonly operation: Operation;
  readonly sample: MakeSample;
}

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
}

/** A broadcast that has ended, to be sent again to those whom it did not reach. */
async function endedBroadcast(): Promise<WriteSample> {
  const id = await createBroadcast(desk.workspace);
  await desk.runtime.db.rows(
    `UPDATE broadcasts SET status = 'failed', failure_reason = 'Gone', confirmed_at = now(), completed_at = now()
     WHERE workspace_id = $workspaceId AND id = $id`,
    { workspaceId: desk.workspace.id, id },
  );
  return { params: { id }, body: {} };
}

const keyed: readonly Case[] = operations
  .filter(({ idempotent }) => idempotent !== undefined)
  .map((operation) => ({
    name: operation.id,
    operation,
    sample: (phone) => {
      if (operation.id === 'broadcasts.resend') return endedBroadcast();
      const make = writeSamples[operation.id];
      if (!make) throw new Error(`${operation.id} has no sample`);
      return make(desk.workspace, String(unique()), phone);
    },
  }));

const confirmNow: Case = {
  name: 'broadcasts.confirm, at once',
  operation: operationOf('broadcasts.confirm'),
  sample: async (phone) => {
    const customer = createCustomer(desk.workspace, { phone });
    await customer.writes('Hi');
    const id = await createBroadcast(desk.workspace, { audience: { receiver_ids: [customer.handle] } });
    return { params: { id }, body: {} };
  },
};

const macroThatSends: Case = {
  name: 'macros.run, with a message and a ticket',
  operation: operationOf('macros.run'),
  sample: async (phone) => {
    const customer = createCustomer(desk.workspace, { phone });
    await customer.writes('Hi');
    const { body } = await desk.api.get(`/api/v1/conversations/${customer.handle}/`);
    const macro = await createMacro(desk.workspace, [
      step('create_ticket', { title: `Ticket of ${phone}` }),
      step('send_message', { body: 'Hello' }),
    ]);
    return { params: { id: macro }, body: { chat_id: body['id'] } };
  },
};

function pathOf(operation: Operation, params: WriteSample['params'] = {}): string {
  return operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => String(params[name]));
}

/** Who asks: a key, or a member for what only members may do. */
const clientOf = ({ audience }: Operation): ApiClient => (audience === 'session' ? session : desk.api);

/** Sends the same request with its key until it is answered for good; the claim of a broken one is made old. */
async function repeat(api: ApiClient, path: string, body: unknown, key: string): Promise<ApiAnswer> {
  for (let round = 1; ; round += 1) {
    const answer = await api.post(path, body, { 'idempotency-key': key });
    if (answer.status !== 409 || round === 3) return answer;
    await desk.runtime.db.rows(
      `UPDATE idempotency_keys SET claimed_at = claimed_at - interval '61 seconds' WHERE key = $key`,
      { key },
    );
  }
}

type Rows = Record<string, number>;
async function rowsSince(mark: string): Promise<Rows> {
  await desk.runtime.outbox.drain();
  return changedCounts(desk.runtime, mark);
}

interface Broken {
  readonly statement: string;
  readonly first: ApiAnswer;
  readonly again: ApiAnswer;
  readonly rows: Rows;
  readonly phone: string;
}

/** One request whose statement of this number fails, and its repeat; null where it has not so many. */
async function breakAt(given: Case, at: number, kind: FaultKind): Promise<Broken | null> {
  const phone = uniquePhone();
  const { params, body } = await given.sample(phone);
  const path = pathOf(given.operation, params);
  const key = `broken key ${unique()}`;
  const mark = await rowMark(desk.runtime);
  faults.arm(at, kind);
  const api = clientOf(given.operation);
  const first = await api.post(path, body, { 'idempotency-key': key });
  await desk.runtime.outbox.drain();
  const statement = faults.disarm();
  const again = await repeat(api, path, body, key);
  return statement === null ? null : { statement, first, again, rows: await rowsSince(mark), phone };
}

/** Breaks one statement after the other until the request has no more. */
async function breakAll(given: Case, kind: FaultKind, look: (broken: Broken) => void): Promise<number> {
  for (let at = 1; at < 200; at += 1) {
    const broken = await breakAt(given, at, kind);
    if (!broken) return at - 1;
    const where = `statement ${at}: ${broken.statement.slice(0, 60)}, answered ${broken.first.status}`;
    expect([where, broken.again.status]).toEqual([where, given.operation.status]);
    // A fault may cost the answer, but an answer that was given stands.
    if (broken.first.status < 400)
      expect([where, broken.again.headers['idempotent-replayed'], broken.again.body]).toEqual([
        where,
        'true',
        broken.first.body,
      ]);
    else expect([where, broken.first.status >= 500]).toEqual([where, true]);
    look(broken);
  }
  throw new Error('the request does not end');
}

/** Whom the requests that send wrote to, and which requests these are. */
const told: string[] = [];
const sends = ['messages.create', confirmNow.name];
const alone = [...keyed.filter(({ operation }) => operation.id !== 'macros.run'), confirmNow];

describe.each(alone.map((given) => [given.name, given] as const))('%s', (_name, given) => {
  it.each(faultKinds)(
    'leaves what one request leaves, wherever a statement is %s',
    async (kind) => {
      const control = await given.sample(uniquePhone());
      const mark = await rowMark(desk.runtime);
      const path = pathOf(given.operation, control.params);
      const { status } = await clientOf(given.operation).post(path, control.body);
      expect(status).toBe(given.operation.status);
      const expected = await rowsSince(mark);
      expect(Object.keys(expected).length).toBeGreaterThan(0);
      const count = await breakAll(given, kind, ({ statement, rows, phone }) => {
        expect([statement.slice(0, 60), rows]).toEqual([statement.slice(0, 60), expected]);
        if (sends.includes(given.name)) told.push(phone);
      });
      // Credential, rate limit, claim, BEGIN, at least one write, the kept answer, COMMIT.
      expect(count).toBeGreaterThanOrEqual(6);
    },
    200_000,
  );
});

describe('what the platform sees', () => {
  const digits = (phone: string): string => phone.replace('+', '');
  /** Those that did not get exactly one message. */
  const notOnce = (phones: readonly string[]): string[] => {
    const times = new Map<string, number>();
    for (const { to } of desk.sandbox.state.sent) times.set(digits(to), (times.get(digits(to)) ?? 0) + 1);
    return phones.filter((phone) => times.get(digits(phone)) !== 1);
  };

  it('one message for each request above that sends', async () => {
    await work();
    expect(told.length).toBeGreaterThan(50);
    await eventually(() => expect(notOnce(told)).toEqual([]), { timeoutMs: 480_000, everyMs: 250 });
  }, 500_000);

  it.each(faultKinds)(
    'one message and one ticket for a macro run, wherever a statement is %s',
    async (kind) => {
      await work();
      const phones: string[] = [];
      await breakAll(macroThatSends, kind, ({ phone }) => phones.push(phone));
      await eventually(() => expect(notOnce(phones)).toEqual([]), { timeoutMs: 60_000 });
      for (const phone of phones) {
        const made = await desk.api.get(`/api/v1/tickets/?search=${encodeURIComponent(`Ticket of ${phone}`)}`);
        expect([phone, made.body.length]).toEqual([phone, 1]);
      }
    },
    200_000,
  );

  async function work(): Promise<void> {
    if (stopWorker) return;
    const { stop } = await startWorker({ ...desk.test, runtime: background, onClose: () => undefined });
    stopWorker = stop;
  }
});
