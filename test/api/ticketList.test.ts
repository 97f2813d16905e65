import { createContact } from '../factories/contacts';
import { createTeamInbox } from '../factories/inboxes';
import { createMember, createSession } from '../factories/members';
import { createPipeline, createTicket, ticketsPath as path } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

const list = async (query = ''): Promise<{ titles: unknown[]; total: number; links: Record<string, string> }> => {
  const { status, body, headers } = await workspace.api.get(`${path}?${query}`);
  expect(status).toBe(200);
  expect(Array.isArray(body)).toBe(true);
  const links = Object.fromEntries(
    [...String(headers['link'] ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map((match) => [
      match[2] ?? '',
      match[1] ?? '',
    ]),
  );
  return { titles: body.map((ticket) => ticket['title']), total: Number(headers['x-total-count']), links };
};

describe('filters (C8)', () => {
  let ids: Record<string, number | string>;
  beforeAll(async () => {
    workspace = await createWorkspace(desk);
    const [anna, ben] = [await createContact(workspace), await createContact(workspace)];
    const member = await createMember(workspace);
    const inbox = await createTeamInbox(workspace);
    const pipeline = await createPipeline(workspace, ['Open', { name: 'Done', is_terminal: true }]);
    const [open, done] = pipeline.stages.map((stage) => stage.id) as [number, number];
    const plain = await createTicket(workspace, { title: 'plain' });
    const rich = await createTicket(workspace, {
      title: 'rich',
      description: 'A 100% Strange_case',
      pipeline: pipeline.id,
      stage: open,
      receiver: anna.id,
      affected_contact_ids: [ben.id],
      assigned_to: member.id,
      assigned_inbox: inbox,
      priority: 'urgent',
      severity: 'sev1',
      type: 'bug',
      outcome: 'refunded',
      tags: ['vip', 'eu'],
      parent_ticket: plain.id,
      due_at: '2027-01-01T00:00:00Z',
    });
    await createTicket(workspace, {
      title: 'closed',
      pipeline: pipeline.id,
      stage: done,
      due_at: '2028-01-01T00:00:00Z',
    });
    await workspace.api.post(`${path}${rich.id}/escalate/`, { escalated_to: member.id });
    await (await createSession(workspace.owner)).api.post(path, { title: 'by hand' });
    ids = {
      anna: anna.id,
      ben: ben.id,
      annaHandle: anna.receiver_id,
      benHandle: ben.receiver_id,
      member: member.id,
      inbox,
      pipeline: pipeline.id,
      open,
      done,
      plain: plain.id,
      rich: rich.id,
    };
  });

  it.each([
    ['', ['by hand', 'closed', 'rich', 'plain']],
    ['pipeline=$pipeline', ['closed', 'rich']],
    ['stage=$open', ['rich']],
    ['stage=$open,$done', ['closed', 'rich']],
    ['open=true', ['by hand', 'rich', 'plain']],
    ['open=false', ['closed']],
    ['assigned_to=$member', ['rich']],
    ['assigned_to=none&open=true', ['by hand', 'plain']],
    ['assigned_inbox=$inbox', ['rich']],
    ['receiver=$anna', ['rich']],
    ['affected_contact=$ben', ['rich']],
    ['affected_contact=$anna', []],
    ['receiver_id=$annaHandle', ['rich']],
    ['receiver=$anna&receiver_id=$annaHandle', ['rich']],
    ['affected_receiver_id=$benHandle', ['rich']],
    ['priority=urgent', ['rich']],
    ['priority=low,normal', ['by hand', 'closed', 'plain']],
    ['severity=sev1', ['rich']],
    ['type=bug', ['rich']],
    ['source=manual', ['by hand']],
    ['source=api', ['closed', 'rich', 'plain']],
    ['outcome=refunded', ['rich']],
    ['tag=vip', ['rich']],
    ['tag=vi', []],
    ['sla_breached=true', []],
    ['escalated=true', ['rich']],
    ['parent_ticket=$plain', ['rich']],
    ['parent_ticket=none', ['by hand', 'closed', 'plain']],
    ['due_before=2027-06-01T00:00:00Z', ['rich']],
    ['created_after=2020-01-01T00:00:00Z', ['by hand', 'closed', 'rich', 'plain']],
    ['created_before=2020-01-01T00:00:00Z', []],
    ['updated_after=2030-01-01T00:00:00Z', []],
    ['search=STRANGE_', ['rich']],
    ['search=100%25', ['rich']],
    ['search=1%25S', []],
    ['search=$rich', ['rich']],
    ['search=%23$rich', ['rich']],
    ['ordering=title', ['by hand', 'closed', 'plain', 'rich']],
    ['ordering=-priority&limit=1', ['rich']],
    ['ordering=due_at&limit=2', ['rich', 'closed']],
    ['ordering=-due_at&limit=2', ['closed', 'rich']],
    ['ordering=severity&limit=1', ['rich']],
    ['ordering=id', ['plain', 'rich', 'closed', 'by hand']],
    ['stage=x', 400],
    ['assigned_to=x', 400],
    ['receiver=999999999', 400],
    ['receiver_id=nobody', 400],
    ['affected_contact=999999999', 400],
    ['affected_receiver_id=nobody', 400],
    ['receiver=$ben&receiver_id=$annaHandle', 400],
  ])('%s', async (query, expected) => {
    const filled = query.replace(/\$(\w+)/g, (_all, name: string) => String(ids[name]));
    if (expected === 400) expect((await workspace.api.get(`${path}?${filled}`)).status).toBe(400);
    else expect((await list(filled)).titles).toEqual(expected);
  });
});

describe('pages', () => {
  /** Makes tickets T1 to `T<count>` in a new workspace, with descriptions of these lengths (SQL). */
  const fill = async (count: number, length: string): Promise<void> => {
    workspace = await createWorkspace(desk);
    const stage = await desk.runtime.db.row<{ id: number; pipeline_id: number }>(
      'SELECT id, pipeline_id FROM ticket_stages WHERE workspace_id = $id ORDER BY position LIMIT 1',
      { id: workspace.id },
    );
    await desk.runtime.db.rows(
      `INSERT INTO tickets (workspace_id, title, description, pipeline_id, stage_id, created_at)
        SELECT $ws, 'T' || n, repeat('x', ${length}), $pipeline, $stage,
          '2026-01-01'::timestamptz + n * interval '1 second'
        FROM generate_series(1, $count) n`,
      { ws: workspace.id, pipeline: stage?.pipeline_id, stage: stage?.id, count },
    );
  };
  beforeAll(() => fill(1_010, '0'));

  it('are 200 long unless told, at most 1000, with the count and absolute links that keep the filters', async () => {
    const first = await list('priority=normal');
    expect([first.titles.length, first.titles[0], first.total]).toEqual([200, 'T1010', 1010]);
    expect(Object.keys(first.links).sort()).toEqual(['first', 'last', 'next']);
    expect(first.links['next']).toBe(`${desk.url}${path}?priority=normal&limit=200&offset=200`);
    const second = await list(first.links['next']?.split('?')[1]);
    expect([second.titles[0], Object.keys(second.links).sort()]).toEqual(['T810', ['first', 'last', 'next', 'prev']]);
    expect((await list(second.links['last']?.split('?')[1])).titles).toHaveLength(10);
    expect((await list('limit=5000')).titles).toHaveLength(1000);
    expect((await list('limit=-1')).titles).toHaveLength(200);
    expect((await list('limit=99999999999999999999')).titles).toHaveLength(1000);
    for (const offset of ['x', '-1', '99999999999999999999'])
      expect((await desk.api.get(`${path}?offset=${offset}`)).status).toBe(400);
    expect(await list('offset=2000')).toMatchObject({ titles: [], total: 1010 });
  });

  it('cost the same number of statements for one row as for 200', async () => {
    const statements = async (query: string): Promise<number> => {
      const spies = [jest.spyOn(desk.runtime.db, 'rows'), jest.spyOn(desk.runtime.db, 'row')];
      try {
        await list(query);
        return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      } finally {
        for (const spy of spies) spy.mockRestore();
      }
    };
    await statements('limit=1');
    expect(await statements('limit=200')).toBe(await statements('limit=1'));
  });

  it('that are cut short show each ticket once either way, and tell an agent where to go on', async () => {
    await fill(60, 'CASE WHEN n % 12 = 0 THEN 4000000 ELSE 1000 END');
    const all = Array.from({ length: 60 }, (_, index) => `T${60 - index}`);
    const walk = async (query: string | undefined, way: 'next' | 'prev'): Promise<[unknown[][], string]> => {
      const pages: unknown[][] = [];
      let last = '';
      for (let at = query; at !== undefined; at = (await list(last)).links[way]?.split('?')[1]) {
        pages.push((await list(at)).titles);
        last = at;
      }
      return [pages, last];
    };
    const [forward, last] = await walk('limit=50', 'next');
    expect([forward.length > 2, forward.flat()]).toEqual([true, all]);
    const [back] = await walk(last, 'prev');
    expect([back.length > 2, back.reverse().flat()]).toEqual([true, all]);
    const { json } = await createAgent(workspace.api).call('list_tickets', { limit: 50 });
    const shown = (json['results'] as unknown[]).length;
    expect([shown < 50, json['hint']]).toEqual([true, `More results: call again with offset ${shown}.`]);
  });
});
