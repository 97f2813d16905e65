import { Op } from 'sequelize';
import { of } from '../../api/core/db/scoped';
import { createTestRuntime, type TestRuntime } from '../support/runtime';

describe('models limited to a workspace', () => {
  let test: TestRuntime;
  let mine: number;
  let theirs: number;
  beforeAll(async () => {
    test = await createTestRuntime();
    const { Macro, Workspace } = test.runtime.db.models;
    mine = (await Workspace.create({ name: 'Mine' })).id;
    theirs = (await Workspace.create({ name: 'Theirs' })).id;
    for (const workspace_id of [mine, theirs]) await Macro.create({ workspace_id, name: 'Solve', actions: [] });
  });
  afterAll(() => test.close());
  const macros = (workspaceId: number) => of({ workspaceId }, test.runtime.db.models.Macro);

  it('find and count what belongs to it', async () => {
    expect((await macros(mine).findAll({ raw: true })).map((row) => row.workspace_id)).toEqual([mine]);
    expect(await macros(mine).count()).toBe(1);
  });

  it('never reach another workspace, whatever the condition says', async () => {
    const conditions = [{ workspace_id: theirs }, { [Op.or]: [{ workspace_id: theirs }, { name: 'Nothing' }] }];
    for (const where of conditions) {
      expect(await macros(mine).findOne({ where })).toBeNull();
      expect(await macros(mine).update({ name: 'Taken' }, { where })).toEqual([0]);
      expect(await macros(mine).destroy({ where })).toBe(0);
    }
    const { id } = await macros(theirs).findOne({ rejectOnEmpty: true, raw: true });
    expect(await macros(mine).findByPk(id)).toBeNull();
  });

  it('give bigint columns as numbers and join the open transaction', async () => {
    const { db } = test.runtime;
    const undone = db.transaction(async () => {
      const event = await db.models.ActivityEvent.create({
        workspace_id: mine,
        subject_type: 'contact',
        subject_id: 1,
        kind: 'tried',
        actor_type: 'system',
      });
      expect(typeof event.id).toBe('number');
      expect(await of({ workspaceId: mine }, db.models.ActivityEvent).count({ where: { kind: 'tried' } })).toBe(1);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');

    expect(await of({ workspaceId: mine }, db.models.ActivityEvent).count({ where: { kind: 'tried' } })).toBe(0);
  });
});
