import { Op } from 'sequelize';
import { of } from '../../api/core/db/scoped';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

describe('models limited to a workspace', () => {
  let desk: TestApi;
  let mine: number;
  let theirs: number;
  beforeAll(async () => {
    desk = await sharedDesk('no sandbox');
    const { Macro, Workspace } = desk.runtime.db.models;
    mine = (await Workspace.create({ name: 'Mine' })).id;
    theirs = (await Workspace.create({ name: 'Theirs' })).id;
    for (const workspace_id of [mine, theirs]) await Macro.create({ workspace_id, name: 'Solve', actions: [] });
  });
  afterAll(() => desk.close());
  const macros = (workspaceId: number) => of({ workspaceId }, desk.runtime.db.models.Macro);

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
    const { db } = desk.runtime;
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

  describe('and what they include', () => {
    let pipeline: number;
    beforeAll(async () => {
      const { BusinessAccount, Template, TicketPipeline, TicketStage } = desk.runtime.db.models;
      const secrets = { access_token: 'a', app_secret: 'b', verify_token_hash: Buffer.alloc(32) };
      const { id: business_account_id } = await BusinessAccount.create({
        ...secrets,
        workspace_id: theirs,
        account_id: 'theirs',
      });
      const { id: notify_template_pk } = await Template.create({
        workspace_id: theirs,
        business_account_id,
        template_id: 'theirs',
        name: 'theirs',
        language: 'en',
        status: 'APPROVED',
        category: 'UTILITY',
        components: {},
      });
      pipeline = (await TicketPipeline.create({ workspace_id: mine, name: 'Mine', position: 0 })).id;
      // Only a fault of ours could make such a row: the key of the database holds for any workspace.
      await TicketStage.create({
        workspace_id: mine,
        pipeline_id: pipeline,
        name: 'Mine',
        position: 0,
        notify_template_pk,
      });
    });
    const stages = { association: 'stages', include: [{ association: 'notify_template' }] };

    it('is of the same workspace, however deep it lies', async () => {
      const { TicketPipeline, Template } = desk.runtime.db.models;
      const [found] = await of({ workspaceId: mine }, TicketPipeline).findAll({ include: [stages] });
      expect(found?.stages?.map(({ name, notify_template }) => [name, notify_template])).toEqual([['Mine', null]]);
      const [apart] = await of({ workspaceId: mine }, TicketPipeline).findAll({
        include: [{ ...stages, separate: true }],
      });
      expect(apart?.stages?.map(({ name, notify_template }) => [name, notify_template])).toEqual([['Mine', null]]);
      expect(
        await of({ workspaceId: mine }, Template).findAll({ include: [{ association: 'account', required: true }] }),
      ).toEqual([]);
    });

    it('is refused where the query is of no workspace, and of a count', async () => {
      const { TicketPipeline } = desk.runtime.db.models;
      await expect(TicketPipeline.findOne({ where: { id: pipeline }, include: ['stages'] })).rejects.toThrow(
        'TicketStage is included by a query of no workspace',
      );
      await expect(of({ workspaceId: mine }, TicketPipeline).count({ include: ['stages'] })).rejects.toThrow(
        'A count includes nothing',
      );
    });
  });
});
