import { fc, runs } from '../support/properties';
import {
  activityOf,
  createPipeline,
  createTicket,
  defaultPipeline,
  pipelinesPath as path,
  ticketsPath,
  type TestStage,
  makeRoomForPipelines,
} from '../factories/tickets';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
type Stage = TestStage & { position: number } & Json;
interface Pipeline extends Json {
  id: number;
  position: number;
  is_default: boolean;
  stages: Stage[];
}

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const read = async (id: number, workspace = desk.workspace): Promise<Pipeline> =>
  (await workspace.api.get(`${path}${id}/`)).body;
const names = (pipeline: Pipeline): string[] => pipeline.stages.map((stage) => stage.name);
const dense = (items: readonly { position: number }[]): void =>
  expect(items.map((item) => item.position)).toEqual(items.map((_item, index) => index));
const templateId = async (name: string, workspace = desk.workspace): Promise<string> => {
  const { body } = await workspace.api.get('/api/v1/templates/');
  const found = body.results.find((template) => template.name === name);
  if (!found) throw new Error(`no template ${name}`);
  return found.template_id;
};

describe('pipelines (C8)', () => {
  it('a new workspace begins with a default one that can resolve and wait', async () => {
    const workspace = await createWorkspace(desk, { connected: false });
    const { body } = await workspace.api.get(path);
    expect(body).toEqual([
      {
        id: expect.any(Number) as number,
        name: 'Support',
        description: 'Requests from customers.',
        position: 0,
        is_default: true,
        created_at: expect.any(String) as string,
        stages: (
          [
            ['New', '#3B82F6', false, false],
            ['In progress', '#F59E0B', false, false],
            ['Waiting on customer', '#8B5CF6', false, true],
            ['Resolved', '#22C55E', true, false],
          ] as const
        ).map(([name, color, is_terminal, pauses_sla], position) => ({
          id: expect.any(Number) as number,
          name,
          ticket_count: '0',
          position,
          color,
          is_terminal,
          pauses_sla,
          notify_template_id: null,
          notify_template_media_id: null,
          notify_template_name: null,
          notify_template_variables: {},
        })),
      },
    ]);
  });

  it('are created, read, changed and deleted; there is always one default', async () => {
    const workspace = await createWorkspace(desk, { connected: false });
    const first = (await workspace.api.get(path)).body[0] as Pipeline;
    const made = await workspace.api.post(path, { name: 'Refunds', description: 'Money back' });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Refunds', description: 'Money back', position: 1, is_default: false },
    });
    expect(names(made.body)).toEqual(['New']);
    expect(await read(made.body.id, workspace)).toEqual(made.body);
    const patched = await workspace.api.patch(`${path}${made.body.id}/`, {
      name: 'Returns',
      is_default: true,
      position: 0,
    });
    expect(patched).toMatchObject({
      status: 200,
      body: { name: 'Returns', description: 'Money back', is_default: true, position: 0 },
    });
    expect(
      (await workspace.api.get(path)).body.map((pipeline) => [pipeline.id, pipeline.is_default, pipeline.position]),
    ).toEqual([
      [made.body.id, true, 0],
      [first.id, false, 1],
    ]);
    expect(await workspace.api.patch(`${path}${made.body.id}/`, { is_default: false })).toMatchObject({
      status: 400,
      body: { is_default: [expect.stringContaining('default')] },
    });
    expect(await workspace.api.delete(`${path}${made.body.id}/`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('default') as string },
    });
    expect((await workspace.api.delete(`${path}${first.id}/`)).status).toBe(204);
    expect((await workspace.api.delete(`${path}${first.id}/`)).status).toBe(404);
    dense((await workspace.api.get(path)).body);
  });

  it.each([
    [{ name: 'x', stages: [] }, { stages: ['This list may not be empty.'] }],
    [{ name: 'x', stages: [{ name: 'y', color: 'red' }] }, { stages: ['0.color: Enter a color as #RRGGBB.'] }],
  ])('%j is refused', async (body, errors) => {
    expect(await desk.api.post(path, body)).toMatchObject({ status: 400, body: errors });
  });

  it('one that holds tickets is a 409 unless they move, silently, to the first stage or a terminal one', async () => {
    const from = await createPipeline(desk.workspace, ['Open', { name: 'Done', is_terminal: true }]);
    const to = await createPipeline(desk.workspace, ['First', 'Second', { name: 'Over', is_terminal: true }]);
    await desk.api.patch(`${path}${to.id}/stages/${to.stages[0]?.id}/`, {
      notify_template_id: await templateId('ticket_update'),
    });
    const open = await createTicket(desk.workspace, { pipeline: from.id });
    const closed = await createTicket(desk.workspace, { pipeline: from.id, stage: from.stages[1]?.id });
    expect(await desk.api.delete(`${path}${from.id}/`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('move_to') as string },
    });
    expect(await desk.api.delete(`${path}${from.id}/?move_to=${from.id}`)).toMatchObject({
      status: 400,
      body: { move_to: [`Invalid pk "${from.id}" - object does not exist.`] },
    });
    const foreign = await defaultPipeline(await createWorkspace(desk, { connected: false }));
    expect(await desk.api.delete(`${path}${from.id}/?move_to=${foreign.id}`)).toMatchObject({
      status: 400,
      body: { move_to: [`Invalid pk "${foreign.id}" - object does not exist.`] },
    });
    expect((await desk.api.delete(`${path}${from.id}/?move_to=${to.id}`)).status).toBe(204);
    expect((await desk.api.get(`${ticketsPath}${open.id}/`)).body).toMatchObject({
      pipeline: to.id,
      stage_name: 'First',
      reopened_count: 0,
    });
    expect((await desk.api.get(`${ticketsPath}${closed.id}/`)).body).toMatchObject({
      pipeline: to.id,
      stage_name: 'Over',
      reopened_count: 0,
    });
    expect((await activityOf(desk.workspace, open.id))[0]).toMatchObject({
      kind: 'stage_changed',
      data: { notified: false },
      changes: { pipeline: { from: from.id, to: to.id } },
    });
    expect(
      await desk.runtime.db.rows('SELECT id FROM ticket_stage_moves WHERE ticket_id = $id', { id: open.id }),
    ).toEqual([]);
  });
});

describe('stages (C8)', () => {
  it('are added at a place, changed and deleted; positions stay dense', async () => {
    const pipeline = await createPipeline(desk.workspace, ['A', 'B']);
    const stages = `${path}${pipeline.id}/stages/`;
    const made = await desk.api.post(stages, {
      name: 'X',
      position: 1,
      color: '#a1B2c3',
      is_terminal: true,
      pauses_sla: true,
    });
    expect(made).toEqual(
      expect.objectContaining({
        status: 201,
        body: {
          id: expect.any(Number) as number,
          name: 'X',
          ticket_count: '0',
          position: 1,
          color: '#a1B2c3',
          is_terminal: true,
          pauses_sla: true,
          notify_template_id: null,
          notify_template_media_id: null,
          notify_template_name: null,
          notify_template_variables: {},
        },
      }),
    );
    expect(names(await read(pipeline.id))).toEqual(['A', 'X', 'B']);
    expect((await desk.api.patch(`${stages}${made.body.id}/`, { position: 99, name: 'Y' })).body).toMatchObject({
      position: 2,
      name: 'Y',
      color: '#a1B2c3',
      is_terminal: true,
    });
    expect(names(await read(pipeline.id))).toEqual(['A', 'B', 'Y']);
    expect((await desk.api.delete(`${stages}${pipeline.stages[0]?.id}/`)).status).toBe(204);
    dense((await read(pipeline.id)).stages);
    expect(names(await read(pipeline.id))).toEqual(['B', 'Y']);
  });

  it('the last one stays; one that holds tickets is a 409 unless they go to another of the pipeline', async () => {
    const pipeline = await createPipeline(desk.workspace, ['A', 'B']);
    const stages = `${path}${pipeline.id}/stages/`;
    const [a, b] = pipeline.stages.map((stage) => stage.id) as [number, number];
    const ticket = await createTicket(desk.workspace, { pipeline: pipeline.id });
    expect((await read(pipeline.id)).stages.map((stage) => stage['ticket_count'])).toEqual(['1', '0']);
    expect((await desk.api.delete(`${stages}${a}/`)).status).toBe(409);
    const other = await defaultPipeline(desk.workspace);
    expect(await desk.api.delete(`${stages}${a}/?move_to=${other.stages[0]?.id}`)).toMatchObject({
      status: 400,
      body: { move_to: [expect.stringContaining('Invalid pk')] },
    });
    expect((await desk.api.delete(`${stages}${a}/?move_to=${b}`)).status).toBe(204);
    expect((await desk.api.get(`${ticketsPath}${ticket.id}/`)).body['stage']).toBe(b);
    expect(await desk.api.delete(`${stages}${b}/`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('at least one stage') as string },
    });
    expect((await desk.api.delete(`${path}${other.id}/stages/${b}/`)).status).toBe(404);
  });

  it.each([[{ color: '#12345' }, { color: ['Enter a color as #RRGGBB.'] }]])('%j is refused', async (body, errors) => {
    const pipeline = await createPipeline(desk.workspace);
    expect(await desk.api.patch(`${path}${pipeline.id}/stages/${pipeline.stages[0]?.id}/`, body)).toMatchObject({
      status: 400,
      body: errors,
    });
  });

  it('a stage that becomes terminal closes its tickets, and opens them again', async () => {
    const pipeline = await createPipeline(desk.workspace, ['A', 'B']);
    const stage = `${path}${pipeline.id}/stages/${pipeline.stages[0]?.id}/`;
    const ticket = await createTicket(desk.workspace, { pipeline: pipeline.id });
    const open = async (): Promise<number> =>
      (await desk.api.get(`${ticketsPath}?open=true&pipeline=${pipeline.id}`)).body.length;
    expect(await open()).toBe(1);
    await desk.api.patch(stage, { is_terminal: true });
    expect(await open()).toBe(0);
    await desk.api.patch(stage, { is_terminal: false });
    expect(await open()).toBe(1);
    expect((await desk.api.get(`${ticketsPath}${ticket.id}/`)).body['stage_name']).toBe('A');
  });

  it('any stages moved, added and deleted at the same time leave dense positions', async () => {
    const workspace = await createWorkspace(desk, { connected: false });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ what: fc.constantFrom('move', 'add', 'delete'), which: fc.nat(5), to: fc.nat(7) }), {
          minLength: 4,
          maxLength: 12,
        }),
        async (steps) => {
          const { api } = workspace;
          const pipeline = await createPipeline(workspace, ['A', 'B', 'C', 'D', 'E', 'F']);
          const own = `${path}${pipeline.id}/`;
          const answers = await Promise.all(
            steps.map(({ what, which, to }) => {
              const stage = `${own}stages/${pipeline.stages[which]?.id ?? 0}/`;
              if (what === 'move') return api.patch(stage, { position: to });
              return what === 'add' ? api.post(`${own}stages/`, { name: 'New', position: to }) : api.delete(stage);
            }),
          );
          for (const { status } of answers) expect([200, 201, 204, 404, 409]).toContain(status);
          dense((await read(pipeline.id, workspace)).stages);
          await makeRoomForPipelines(workspace);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it('pipelines made and deleted at the same time leave dense positions', async () => {
    const workspace = await createWorkspace(desk, { connected: false });
    const made = await Promise.all(Array.from({ length: 6 }, () => createPipeline(workspace)));
    await Promise.all(
      made.map((pipeline, index) =>
        index % 2
          ? workspace.api.delete(`${path}${pipeline.id}/`)
          : workspace.api.patch(`${path}${pipeline.id}/`, { position: index % 3 }),
      ),
    );
    const { body } = await workspace.api.get(path);
    expect(body).toHaveLength(4);
    dense(body);
  });
});

describe('notify_template_id and its variables (contract 8.2, 3.1, 3.3)', () => {
  let stage: string;
  let template: string;
  const mapping = { body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'static', value: 'x' } } };
  beforeEach(async () => {
    const pipeline = await createPipeline(desk.workspace);
    stage = `${path}${pipeline.id}/stages/${pipeline.stages[0]?.id}/`;
    template = await templateId('ticket_update');
  });
  const patch = async (body: Json): Promise<unknown[]> => {
    const answer = await desk.api.patch(stage, body);
    expect(answer.status).toBe(200);
    return [
      answer.body['notify_template_id'],
      answer.body['notify_template_name'],
      answer.body['notify_template_variables'],
    ];
  };

  it('are set, kept when omitted, and cleared together by null or an empty text', async () => {
    expect(await patch({ notify_template_id: template, notify_template_variables: mapping })).toEqual([
      template,
      'ticket_update',
      mapping,
    ]);
    expect(await patch({ name: 'Other' })).toEqual([template, 'ticket_update', mapping]);
    expect(await patch({ notify_template_id: template })).toEqual([template, 'ticket_update', mapping]);
    for (const nothing of [null, '']) {
      expect(await patch({ notify_template_id: nothing })).toEqual([null, null, {}]);
      expect(await patch({ notify_template_id: template, notify_template_variables: mapping })).toEqual([
        template,
        'ticket_update',
        mapping,
      ]);
    }
    expect(await patch({ notify_template_id: null, notify_template_variables: mapping })).toEqual([null, null, {}]);
  });

  it.each([[{}], [null], ['']])('%j clears the variables alone', async (nothing) => {
    await patch({ notify_template_id: template, notify_template_variables: mapping });
    expect(await patch({ notify_template_variables: nothing })).toEqual([template, 'ticket_update', {}]);
  });

  it('must be an APPROVED template of the workspace', async () => {
    const pending = await templateId('feedback_request');
    expect(await desk.api.patch(stage, { notify_template_id: pending })).toMatchObject({
      status: 400,
      body: {
        notify_template_id: ['Only an APPROVED template can be sent; the status of "feedback_request" is PENDING.'],
      },
    });
    expect(await desk.api.patch(stage, { notify_template_id: '1' })).toMatchObject({
      status: 400,
      body: { notify_template_id: ['Invalid pk "1" - object does not exist.'] },
    });
    expect(await desk.api.post(stage.replace(/\d+\/$/, ''), { name: 'x', notify_template_id: pending })).toMatchObject({
      status: 400,
    });
  });

  it('is refused by name where it is none', async () => {
    expect(await desk.api.patch(stage, { notify_template_variables: { footer: {} } })).toMatchObject({
      status: 400,
      body: { notify_template_variables: ['footer: component must be header or body.'] },
    });
  });
});
