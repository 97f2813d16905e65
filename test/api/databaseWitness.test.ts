import { loadConfig } from '../../api/core/config';
import { createRuntime, type Runtime } from '../../api/core/runtime';
import {
  acceptDatabase,
  compareWitness,
  countHolds,
  fenceState,
  holdAtStart,
  listHoldsOfAnyWorkspace,
} from '../../api/services/resources/accounts/fence';
import { resumeSending } from '../../api/services/processes/maintenance/resumeSending';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

let made: TestRuntime;
beforeAll(async () => {
  made = await createTestRuntime();
});
afterAll(() => made.close());

/** Contract 16: what looks like the same database is compared with what Temporal remembers of it. */
describe('the witness of the database', () => {
  /** A process that knows nothing yet, on a database as it was made. */
  let test: { readonly runtime: Runtime };
  beforeEach(() => {
    test = { runtime: createRuntime(loadConfig(made.env), 'test', { logger: made.runtime.logger }) };
  });
  afterEach(async () => {
    const { db } = made.runtime;
    await test.runtime.close();
    for (const table of ['delivery_fence', 'delivery_holds']) await db.rows(`DELETE FROM ${table}`);
    await db.rows('DROP TABLE IF EXISTS kept');
    await db.rows(
      `INSERT INTO delivery_fence (database_identity, running_since)
       VALUES (database_identity(), pg_postmaster_start_time())`,
    );
  });

  const compare = async (seen: string | null): Promise<string> => (await compareWitness(test.runtime, seen)).word;
  const allowed = async (): Promise<boolean> => (await countHolds(test.runtime)) === 0;
  /** Makes PostgreSQL one that was started since, after a crash, in order, or from files that were put back. */
  const startAnew = (): Promise<unknown> =>
    test.runtime.db.rows("UPDATE delivery_fence SET running_since = running_since - interval '1 hour'");
  /** A copy of the fence, put back later: the database as it was then. */
  const remember = (): Promise<unknown> => test.runtime.db.rows('CREATE TABLE kept AS SELECT * FROM delivery_fence');
  async function goBack(): Promise<void> {
    await test.runtime.db.rows('DELETE FROM delivery_fence');
    await test.runtime.db.rows('INSERT INTO delivery_fence SELECT * FROM kept');
  }

  it('changes with each look, and whoever knows the last word is content', async () => {
    const first = await compare(null);
    const second = await compare(first);
    expect(second).not.toBe(first);
    expect(await allowed()).toBe(true);
  });

  it('takes the word before the last as well, as often as the answer is lost', async () => {
    const first = await compare(null);
    const second = await compare(first);
    expect([await compare(first), await compare(first)]).toEqual([second, second]);
    expect(await allowed()).toBe(true);
  });

  it('holds all sending in a database that has an older word, until the operator accepts it', async () => {
    const first = await compare(null);
    await remember();
    const third = await compare(await compare(first));
    await goBack();
    const told = await compare(third);
    expect([await fenceState(test.runtime), await allowed()]).toEqual([{ wentBack: true, cameUp: false }, false]);
    expect(await listHoldsOfAnyWorkspace(test.runtime)).toHaveLength(1);
    expect(await compare(told)).toBe(told);

    await acceptDatabase(test.runtime);
    await test.runtime.db.rows('DELETE FROM delivery_holds');
    // Whatever Temporal remembers, it learns the word of the database that was accepted.
    await compare(await compare(await compare(third)));
    expect([await fenceState(test.runtime), await allowed()]).toEqual([{ wentBack: false, cameUp: false }, true]);
  });

  it('holds after every start until the two were compared, and then goes on', async () => {
    const first = await compare(null);
    await startAnew();
    expect([await allowed(), await fenceState(test.runtime)]).toEqual([false, { wentBack: false, cameUp: true }]);
    expect(await compareWitness(test.runtime, first)).toMatchObject({ cameBack: true });
    expect([await allowed(), await fenceState(test.runtime)]).toEqual([true, { wentBack: false, cameUp: false }]);
  });

  it('goes on after a start of an installation that never ran, and not where Temporal remembers one', async () => {
    await startAnew();
    await remember();
    const first = await compare(null);
    expect(await allowed()).toBe(true);
    await goBack();
    await compare(first);
    expect([(await fenceState(test.runtime)).wentBack, await allowed()]).toEqual([true, false]);
  });

  it('cannot tell a start from a restore when Temporal has lost its memory too', async () => {
    await compare(null);
    await startAnew();
    await compare(null);
    expect([(await fenceState(test.runtime)).wentBack, await allowed()]).toEqual([true, false]);
  });

  it('begins anew with a Temporal that lost its memory, while the database never went away', async () => {
    await compare(await compare(null));
    await compare(null);
    expect(await allowed()).toBe(true);
  });

  it('notices a dump that was restored into the same server: its tables are new', async () => {
    const { db } = test.runtime;
    await db.rows('CREATE TABLE again (LIKE delivery_fence INCLUDING ALL)');
    await db.rows('INSERT INTO again SELECT * FROM delivery_fence');
    await db.rows('DROP TABLE delivery_fence');
    await db.rows('ALTER TABLE again RENAME TO delivery_fence');
    expect([(await fenceState(test.runtime)).wentBack, await allowed()]).toEqual([true, false]);
  });

  it('is not asked about a database of which the operator has said what it lacks', async () => {
    const first = await compare(null);
    await remember();
    const third = await compare(await compare(first));
    // Restored under a hold, before the witness has looked.
    await goBack();
    await resumeSending(test.runtime, { workspaceId: null, phoneNumberPk: null }, { unknownSince: new Date() });
    await compare(third);
    expect([(await fenceState(test.runtime)).wentBack, await allowed()]).toEqual([false, true]);
  });
});

it('DELIVERY_HOLD holds all sending before a process begins, and once', async () => {
  const { signal } = new AbortController();
  const { logger } = made.runtime;
  const [held, usual] = ['1', ''].map((DELIVERY_HOLD) =>
    createRuntime(loadConfig({ ...made.env, DELIVERY_HOLD }), 'test', { logger }),
  ) as [Runtime, Runtime];
  await Promise.all([holdAtStart(held, signal), holdAtStart(held, signal)]);
  expect(await listHoldsOfAnyWorkspace(held)).toMatchObject([
    { workspace_id: null, phone_number_id: null, reason: 'DELIVERY_HOLD is set.' },
  ]);
  await held.db.rows('DELETE FROM delivery_holds');
  await holdAtStart(usual, signal);
  expect(await countHolds(usual)).toBe(0);
  await Promise.all([held.close(), usual.close()]);
});
