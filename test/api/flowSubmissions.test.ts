import { resolveContact } from '../../api/services/processes/contactMerge/resolve';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { createBroadcast } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { uniquePhone } from '../factories/unique';
import type { TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
let flowId: string;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  flowId = flowsOf(desk.workspace)[0] ?? '';
});
afterAll(() => desk.close());

function flowsOf(workspace: TestWorkspace): string[] {
  const account = desk.sandbox.state.accounts.get(workspace.account.businessAccountId);
  return account?.flows.map((flow) => flow.id) ?? [];
}

const submissions = async (flow = flowId): Promise<Json[]> =>
  (await desk.api.get(`/api/v1/flows/${flow}/submissions/`)).body.results;

/** Sends a flow to the customer and gives the upstream's id of the message once it is there. */
async function sendFlow(anna: TestCustomer, parameters: Json): Promise<string> {
  const sent = await desk.api.post('/api/v1/messages/', {
    to: anna.phone,
    phone_number_id: desk.workspace.account.phoneNumberId,
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: { text: 'Book' },
      action: {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_cta: 'Book', mode: 'draft', ...parameters },
      },
    },
  });
  expect(sent.status).toBe(201);
  return wamidOf(anna);
}

/** Waits until the newest message to the customer is at the platform, and gives its id there. */
async function wamidOf(anna: TestCustomer): Promise<string> {
  await desk.work();
  const row = await desk.runtime.db.row<{ wamid: string | null }>(
    `SELECT m.wamid FROM messages m JOIN contacts c ON c.id = m.conversation_id
     WHERE m.workspace_id = $workspaceId AND c.receiver_id = $handle AND m.direction = 'outbound'
     ORDER BY m.id DESC LIMIT 1`,
    { workspaceId: desk.workspace.id, handle: anna.handle },
  );
  if (!row?.wamid) throw new Error('it was not sent');
  return row.wamid;
}

const answer = (response: unknown, more: Json = {}): Json => ({
  type: 'interactive',
  interactive: {
    type: 'nfm_reply',
    nfm_reply: {
      name: 'flow',
      body: 'Sent',
      response_json: typeof response === 'string' ? response : JSON.stringify(response),
      ...more,
    },
  },
});

async function customer(): Promise<TestCustomer> {
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  return anna;
}

describe('submissions of a flow', () => {
  it('come from the answer to the message that carried it, without the token', async () => {
    const anna = await customer();
    const wamid = await sendFlow(anna, { flow_id: flowId, flow_token: 'token-1' });
    const reply = await anna.writes(answer({ flow_token: 'token-1', name: 'Anna', guests: 2 }), { reply_to: wamid });
    const [first] = await submissions();
    expect(first).toEqual({
      id: expect.any(Number),
      flow_id: flowId,
      receiver_id: anna.handle,
      message_id: reply,
      response: { name: 'Anna', guests: 2 },
      submitted_at: expect.stringMatching(/Z$/),
    });
    const events = await desk.runtime.db.rows(
      `SELECT data FROM events WHERE workspace_id = $id AND kind = 'flow_submitted' AND data ->> 'message_id' = $reply`,
      { id: desk.workspace.id, reply },
    );
    expect(events).toEqual([{ data: { submission_id: first?.['id'], flow_id: flowId, message_id: reply } }]);
  });

  it('find their flow by its token where the answer names no message, and by the name in the message', async () => {
    const [, survey = ''] = flowsOf(desk.workspace);
    const anna = await customer();
    await sendFlow(anna, { flow_id: flowId, flow_token: 'older' });
    await sendFlow(anna, { flow_name: 'Satisfaction survey', flow_token: 'newer' });
    await anna.writes(answer({ flow_token: 'newer', score: 5 }));
    expect((await submissions(survey))[0]).toMatchObject({ receiver_id: anna.handle, response: { score: 5 } });
    await anna.writes(answer({ flow_token: 'older', score: 1 }));
    expect((await submissions())[0]).toMatchObject({ receiver_id: anna.handle, response: { score: 1 } });
  });

  it.each(['message', 'broadcast'])('of a template belong to the flow that it opened when a %s sent it', async (by) => {
    const anna = await customer();
    const name = `book_by_${by}`;
    const opens = async (flow?: string): Promise<void> => {
      const button = { type: 'FLOW', text: 'Book', flow_id: flow, flow_action: 'navigate' };
      const components = [
        { type: 'BODY', text: 'Book' },
        { type: 'BUTTONS', buttons: [button] },
      ];
      desk.sandbox.account({
        business_account_id: desk.workspace.account.businessAccountId,
        templates: [{ id: `56${flowId}${by.length}`, name, category: 'UTILITY', status: 'APPROVED', components }],
      });
      await syncWorkspace(desk.workspace.ctx);
    };
    await opens(flowId);
    if (by === 'broadcast') {
      const given = { template_id: `56${flowId}${by.length}`, template_variables: {} };
      const id = await createBroadcast(desk.workspace, given);
      expect((await desk.api.post(`/api/v1/broadcasts/${id}/confirm/`)).status).toBe(200);
    } else {
      const parameters = [{ type: 'action', action: { flow_token: 'by-template' } }];
      const components = [{ type: 'button', sub_type: 'flow', index: '0', parameters }];
      const phone_number_id = desk.workspace.account.phoneNumberId;
      const template = { name, language: 'en_US', components };
      expect((await desk.api.post('/api/v1/messages/', { to: anna.phone, phone_number_id, template })).status).toBe(
        201,
      );
    }
    const wamid = await wamidOf(anna);
    await opens(flowsOf(desk.workspace)[1]);
    const asked = by === 'broadcast' ? { reply_to: wamid } : {};
    await anna.writes(answer({ flow_token: 'by-template', by }), asked);
    expect((await submissions())[0]).toMatchObject({ receiver_id: anna.handle, response: { by } });
  });

  it('are stored once, however often the webhook comes', async () => {
    const anna = await customer();
    const wamid = await sendFlow(anna, { flow_id: flowId });
    const before = (await submissions()).length;
    const id = `wamid.twice${anna.handle}`;
    await anna.writes(answer({ a: 1 }), { reply_to: wamid, wamid: id });
    await anna.writes(answer({ a: 1 }), { reply_to: wamid, wamid: id });
    expect((await submissions()).length).toBe(before + 1);
  });

  it.each([
    ['no JSON', 'not {json', { raw: 'not {json' }],
    ['a list', '[1,2]', { raw: '[1,2]' }],
    ['an empty text', '', { raw: '' }],
    ['half characters and NUL', '{"a":"x\\u0000y\\ud800"}', { a: 'xy\uFFFD' }],
    ['endless nesting', `{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`, { a: expect.anything() }],
    ['a key that means something to programs', '{"__proto__":{"a":1},"b":2}', expect.objectContaining({ b: 2 })],
  ])('that are %s do no harm', async (_name, response, shown) => {
    const anna = await customer();
    const wamid = await sendFlow(anna, { flow_id: flowId });
    await anna.writes(answer(response), { reply_to: wamid });
    const [first] = await submissions();
    expect(first).toMatchObject({ receiver_id: anna.handle });
    expect(first?.['response']).toEqual(shown);
    const parked = `SELECT error FROM inbox_events WHERE state = 'parked' AND workspace_id = $id`;
    expect(await desk.runtime.db.rows(parked, { id: desk.workspace.id })).toEqual([]);
  });

  it('of no flow that we sent are kept and belong to none; other forms are no submissions', async () => {
    const anna = await customer();
    const before = (await submissions()).length;
    await anna.writes(answer({ flow_token: 'unused', a: 1 }));
    await anna.writes(answer({ flow_token: 'unknown', a: 1 }));
    await anna.writes(answer({ street: 'x' }, { name: 'address_message' }));
    const rows = await desk.runtime.db.rows(
      `SELECT s.flow_id FROM flow_submissions s JOIN contacts c ON c.id = s.contact_id
       WHERE s.workspace_id = $id AND c.receiver_id = $handle`,
      { id: desk.workspace.id, handle: anna.handle },
    );
    expect(rows).toEqual([{ flow_id: null }, { flow_id: null }]);
    expect((await submissions()).length).toBe(before);
  });

  it('are typed by the fields of the flow', async () => {
    const account = desk.sandbox.state.accounts.get(desk.workspace.account.businessAccountId);
    const flow = account?.flows[0];
    if (!flow) throw new Error('no flow');
    flow.flow_json = {
      version: '7.0',
      screens: [
        {
          id: 'A',
          layout: {
            type: 'SingleColumnLayout',
            children: [
              {
                type: 'Form',
                children: [
                  { type: 'TextInput', 'input-type': 'number', name: 'guests' },
                  { type: 'DatePicker', name: 'when' },
                  {
                    type: 'Footer',
                    'on-click-action': {
                      name: 'complete',
                      payload: { people: '${form.guests}', when: '${screen.A.form.when}' },
                    },
                  },
                ],
              },
            ],
          },
        },
      ],
    };
    flow.updated_at = Date.now() + 5_000;
    await syncWorkspace(desk.workspace.ctx);
    const anna = await customer();
    const wamid = await sendFlow(anna, { flow_id: flowId });
    await anna.writes(answer({ people: '4', when: '1795996800000', note: '7' }), { reply_to: wamid });
    expect((await submissions())[0]?.['response']).toEqual({ people: 4, when: '2026-11-30', note: '7' });
  });

  it('are listed newest first', async () => {
    const times = (await submissions()).map((item) => String(item['submitted_at']));
    expect(times.length).toBeGreaterThan(2);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('are erased with their contact', async () => {
    const anna = await customer();
    const wamid = await sendFlow(anna, { flow_id: flowId });
    const reply = await anna.writes(answer({ secret: 'mine' }), { reply_to: wamid });
    expect(JSON.stringify(await submissions())).toContain('mine');
    expect((await desk.api.delete(`/api/v1/contacts/${anna.handle}/`)).status).toBe(204);
    expect(JSON.stringify(await submissions())).not.toContain('mine');
    for (const [table, column] of [
      ['flow_submissions', 'wamid'],
      ['events', `data ->> 'message_id'`],
    ])
      expect(await desk.runtime.db.rows(`SELECT 1 FROM ${table} WHERE ${column} = $reply`, { reply })).toEqual([]);
  });

  it('follow their contact when two become one', async () => {
    const anna = await customer();
    const wamid = await sendFlow(anna, { flow_id: flowId });
    await anna.writes(answer({ merged: true }), { reply_to: wamid });
    const bsuid = `DE.${uniquePhone().replace(/\D/g, '')}`;
    await desk.api.post('/api/v1/contacts/', { bsuid });
    const { ctx } = desk.workspace;
    await ctx.runtime.db.transaction(() => resolveContact(ctx, { phone: anna.handle, bsuid }));
    expect((await submissions())[0]).toMatchObject({ response: { merged: true } });
  });
});
