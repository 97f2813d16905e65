import {
  acceptDatabase,
  countHolds,
  databaseWentBack,
  listHoldsOfAnyWorkspace,
} from '../../api/services/resources/accounts/holds';
import {
  acceptWitness,
  awaitsWitness,
  renewWord,
  witnessDatabase,
} from '../../api/services/resources/accounts/witness';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

/** Contract 16: what looks like the same database is compared with what the workflow engine remembers of it. */
describe('the witness of the database', () => {
  let test: TestRuntime;
  beforeEach(async () => {
    test = await createTestRuntime();
  });
  afterEach(() => test.close());

  const compare = (seen: string | null): Promise<string> => witnessDatabase(test.runtime, seen);
  const allowed = async (): Promise<boolean> => (await countHolds(test.runtime)) === 0;
  /** What a crash, or the start of a copy, does to tables without a log. */
  const comeUp = (): Promise<unknown> => test.runtime.db.rows('TRUNCATE delivery_presence');
  /** A copy of the table of words, put back later: the database as it was then. */
  const remember = (): Promise<unknown> =>
    test.runtime.db.rows('CREATE TABLE kept AS SELECT * FROM delivery_witnesses');
  async function goBack(): Promise<void> {
    await test.runtime.db.rows('TRUNCATE delivery_witnesses');
    await test.runtime.db.rows('INSERT INTO delivery_witnesses SELECT * FROM kept');
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
    expect([await databaseWentBack(test.runtime), await allowed()]).toEqual([true, false]);
    expect(await listHoldsOfAnyWorkspace(test.runtime)).toHaveLength(1);
    expect(await compare(told)).toBe(told);

    await acceptDatabase(test.runtime);
    await acceptWitness(test.runtime);
    await test.runtime.db.rows('DELETE FROM delivery_holds');
    // Whatever the engine remembers, it learns the word of the database that was accepted.
    await compare(await compare(await compare(third)));
    expect([await databaseWentBack(test.runtime), await allowed()]).toEqual([false, true]);
  });

  it('holds after a crash until the two were compared', async () => {
    const first = await compare(null);
    await comeUp();
    expect([await allowed(), await awaitsWitness(test.runtime)]).toEqual([false, true]);
    await compare(first);
    expect([await allowed(), await awaitsWitness(test.runtime)]).toEqual([true, false]);
  });

  it('cannot tell a crash from a restore when the engine has lost its memory too', async () => {
    await compare(null);
    await comeUp();
    await compare(null);
    expect([await databaseWentBack(test.runtime), await allowed()]).toEqual([true, false]);
  });

  it('begins anew with an engine that lost its memory, while the database never went away', async () => {
    await compare(await compare(null));
    await compare(null);
    expect(await allowed()).toBe(true);
  });

  it('knows each deployment by its own word', async () => {
    const first = await compare(null);
    const other = await createTestRuntime({ env: { DATABASE_URL: test.env['DATABASE_URL'] ?? '' } });
    await witnessDatabase(other.runtime, await witnessDatabase(other.runtime, null));
    await other.close();
    await compare(first);
    expect(await allowed()).toBe(true);
  });

  it('notices a copy that has an older word of this process, whatever the engine remembers', async () => {
    await renewWord(test.runtime);
    await remember();
    await renewWord(test.runtime);
    expect(await allowed()).toBe(true);
    await goBack();
    await compare(null);
    expect([await databaseWentBack(test.runtime), await allowed()]).toEqual([true, false]);
  });

  it('takes a lost answer for what it is: the process goes on with either of its words', async () => {
    await renewWord(test.runtime);
    const { DeliveryWitness } = test.runtime.db.models;
    const real = DeliveryWitness.update.bind(DeliveryWitness);
    const update = jest.spyOn(DeliveryWitness, 'update').mockImplementation(async (...args) => {
      await real(...args);
      throw new Error('Connection terminated unexpectedly');
    });
    await expect(renewWord(test.runtime)).rejects.toThrow('terminated');
    await expect(renewWord(test.runtime)).rejects.toThrow('terminated');
    update.mockRestore();
    await renewWord(test.runtime);
    expect(await allowed()).toBe(true);
  });

  it('notices a dump that was restored into the same server: its tables are new', async () => {
    const { db } = test.runtime;
    await db.rows('CREATE TABLE again (LIKE delivery_fence INCLUDING ALL)');
    await db.rows('INSERT INTO again SELECT * FROM delivery_fence');
    await db.rows('DROP TABLE delivery_fence');
    await db.rows('ALTER TABLE again RENAME TO delivery_fence');
    expect([await databaseWentBack(test.runtime), await allowed()]).toEqual([true, false]);
  });
});
