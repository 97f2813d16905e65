import { ConnectionError } from 'sequelize';
import { systemCtx, type Ctx } from '../../api/core/context';
import { createProcess, usualTiming } from '../../api/core/process';
import type { Runtime } from '../../api/core/runtime';
import { recordCall, type AuditEntry } from '../../api/services/identity/audit/service';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

const entry = (tool: string): AuditEntry => ({
  connection: { kind: 'api_key', id: 1, name: 'Key' },
  tool,
  args: {},
  outcome: 'ok',
  durationMs: 1,
});
const ctxOf = (workspaceId = desk.workspace.id): Ctx => systemCtx(desk.runtime, workspaceId, 'audit');
const recorded = async (like: string): Promise<string[]> =>
  (
    await desk.runtime.db.rows<{ tool: string }>(
      'SELECT tool FROM audit_log WHERE workspace_id = $id AND tool LIKE $like ORDER BY id',
      { id: desk.workspace.id, like },
    )
  ).map(({ tool }) => tool);

test('calls at the same time leave one row each, there before their answers', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => desk.workspace.key(['contact.view'])));
  await Promise.all(
    keys.map(async ({ id, api }) => {
      for (let round = 1; round <= 5; round += 1) {
        await createAgent(api).call('search_contacts', { search: 'nobody' });
        const row = await desk.runtime.db.row<{ n: number }>(
          `SELECT count(*)::int AS n FROM audit_log WHERE connection_kind = 'api_key' AND connection_id = $id`,
          { id },
        );
        expect(row?.n).toBe(round);
      }
    }),
  );
});

test('a row that cannot be written fails its own call and nobody else’s', async () => {
  const nowhere = 2_147_483_647;
  const answers = await Promise.allSettled([
    recordCall(ctxOf(), entry('beside 0')),
    recordCall(ctxOf(), entry('beside 1')),
    recordCall(ctxOf(nowhere), entry('beside 2')),
    recordCall(ctxOf(), entry('beside 3')),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect((await recorded('beside %')).sort()).toEqual(['beside 0', 'beside 1', 'beside 3']);
});

test('a row is never part of a transaction that is undone', async () => {
  await expect(
    desk.runtime.db.transaction(async () => {
      await recordCall(ctxOf(), entry('undone'));
      throw new Error('undo');
    }),
  ).rejects.toThrow('undo');
  expect(await recorded('undone')).toEqual(['undone']);
});

test('what an agent writes into an argument’s name cannot break the log', async () => {
  const answer = await createAgent(desk.api).call('search_contacts', { 'a\0b': 1, '\ud800': 2 });
  expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('Unknown argument') as string]);
  expect(
    (
      await desk.runtime.db.row<{ detail: string }>(
        'SELECT detail FROM audit_log WHERE workspace_id = $id ORDER BY id DESC LIMIT 1',
        { id: desk.workspace.id },
      )
    )?.detail,
  ).toContain('Unknown argument');
});

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('one statement at a time', () => {
  /** A database that answers when it is told to. */
  function slow(): { ctx: Ctx; statements: number[]; answer(error?: Error): Promise<void> } {
    const statements: number[] = [];
    const waiting: { resolve: (rows: []) => void; reject: (error: Error) => void }[] = [];
    const rows = (_sql: string, bind: object): Promise<[]> => {
      statements.push(Object.keys(bind).filter((key) => key.startsWith('tool')).length);
      return new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
    };
    return {
      ctx: systemCtx({ db: { rows }, process: createProcess(usualTiming) } as unknown as Runtime, 1, 'audit'),
      statements,
      async answer(error) {
        const first = waiting.shift();
        if (error) first?.reject(error);
        else first?.resolve([]);
        await nextTurn();
      },
    };
  }

  test('rows that come while one is under way go together with the next, and each call waits for its own', async () => {
    const db = slow();
    const done: string[] = [];
    const record = (tool: string): void => void recordCall(db.ctx, entry(tool)).then(() => done.push(tool));
    record('a');
    await nextTurn();
    expect(db.statements).toEqual([1]);
    record('b');
    record('c');
    await db.answer();
    expect([db.statements, done]).toEqual([[1, 2], ['a']]);
    await db.answer();
    expect(done).toEqual(['a', 'b', 'c']);
    record('d');
    await nextTurn();
    expect(db.statements).toEqual([1, 2, 1]);
    await db.answer();
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a connection that is lost fails the calls; nothing is written a second time', async () => {
    const db = slow();
    const outcomes: string[] = [];
    for (const tool of ['a', 'b', 'c']) {
      void recordCall(db.ctx, entry(tool)).then(
        () => outcomes.push(`${tool} ok`),
        () => outcomes.push(`${tool} failed`),
      );
      if (tool === 'a') await nextTurn();
    }
    await db.answer();
    await db.answer(new ConnectionError(new Error('gone')));
    expect([db.statements, outcomes]).toEqual([
      [1, 2],
      ['a ok', 'b failed', 'c failed'],
    ]);
  });
});
