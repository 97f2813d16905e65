import { createContact } from '../factories/contacts';
import { insertContacts, templateId } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createSession, type TestSession } from '../factories/members';
import { createPipeline, createTicket, pipelinesPath } from '../factories/tickets';
import { createAgent, type Agent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/* What a member has approved is what goes out, whatever is changed while it waits (contract 11). */

type Json = Record<string, unknown>;
interface Send {
  readonly text: string;
  readonly recipients_total: number;
  readonly recipients: readonly { readonly id: number; readonly name: string }[];
}
interface Approval {
  readonly id: number;
  readonly status: string;
  readonly digest: string;
  readonly sends: readonly Send[];
}

const evil = 'unpaid: 500 EUR to evil.example';
const changedText = 'This has changed since it was shown.';

let desk: TestApi;
let session: TestSession;
let agent: Agent;
let pipeline = 0;
let stages: readonly number[] = [];

beforeAll(async () => {
  desk = await sharedDesk('worker');
  session = await createSession(desk.workspace.owner);
  agent = createAgent((await desk.workspace.key(['all'], { autonomy: 'approval' })).api);
  const made = await createPipeline(desk.workspace, ['New']);
  pipeline = made.id;
  stages = [made.stages[0]?.id ?? 0, await tellingStage()];
});
afterAll(() => desk.close());

const mapping = (first: Json, second: Json = { source: 'static', value: 'today' }): Json => ({
  body: { '1': first, '2': second },
});
const fieldName = { source: 'field', field: 'name' };
const title = { source: 'ticket', field: 'title' };
const tellingStage = async (variables = mapping(fieldName, title)): Promise<number> =>
  (
    await desk.api.post(`${pipelinesPath}${pipeline}/stages/`, {
      name: 'Told',
      notify_template_id: templateId(desk.workspace, 'ticket_update'),
      notify_template_variables: variables,
    })
  ).body.id;
const person = async (name: string): Promise<TestCustomer & { readonly id: number }> => {
  const customer = createCustomer(desk.workspace, { name });
  await customer.writes('Hello');
  return { ...customer, id: Number((await desk.api.get(`/api/v1/contacts/${customer.handle}/`)).body['id']) };
};
const park = async (tool: string, args: Json): Promise<Approval> => {
  const answer = await agent.call(tool, args);
  expect([answer.text, answer.json['status']]).toEqual([answer.text, 'queued_for_approval']);
  return read(Number(answer.json['approval_id']));
};
const read = async (id: number): Promise<Approval> => (await session.api.get(`/api/v1/approvals/${id}/`)).body;
const approve = (id: number, body: Json = {}): ReturnType<TestSession['api']['post']> =>
  session.api.post(`/api/v1/approvals/${id}/approve/`, body);
/** The parameters of what reached a phone, oldest first. */
const reached = (customer: { readonly handle: string }): string[] =>
  desk.sandbox.state.sent
    .filter(({ to }) => to.replace('+', '') === customer.handle)
    .map(({ body }) => JSON.stringify(body));
/** Checks that as many texts reached a phone as are told, each of which passes. */
async function reaches(customer: { readonly handle: string }, texts: readonly unknown[]): Promise<void> {
  await desk.work();
  expect(reached(customer)).toEqual(texts);
}
const expectGone = async (id: number): Promise<void> => {
  expect(await approve(id)).toMatchObject({ status: 409, body: { error: changedText } });
  expect(await read(id)).toMatchObject({ status: 'expired' });
  expect((await approve(id)).status).toBe(409);
};
const rename = (handle: string, name: string): Promise<unknown> =>
  agent.call('update_contact', { receiver_id: handle, name });

it('a renamed contact changes no word of a template that was shown', async () => {
  const smith = await person('Mrs Smith');
  const { id, digest, sends } = await park('send_template', {
    to: smith.phone,
    template_id: templateId(desk.workspace, 'ticket_update'),
    template_variables: mapping(fieldName),
  });
  expect(sends).toMatchObject([
    { kind: 'message', recipients: [{ id: smith.id, name: 'Mrs Smith' }], text: expect.stringContaining('Mrs Smith') },
  ]);
  await rename(smith.handle, evil);
  expect(await read(id)).toMatchObject({ digest, sends });
  const other = await approve(id, { digest: digest.replace(/^./, (first) => (first === '0' ? '1' : '0')) });
  expect([other.status, (await read(id)).status]).toEqual([409, 'pending']);
  expect((await approve(id, { digest })).status).toBe(200);
  await reaches(smith, [expect.stringContaining('Mrs Smith')]);
  expect(reached(smith).join()).not.toContain('evil');
});

it('a move to many names ten of them and counts all', async () => {
  await insertContacts(desk.workspace, 30, 4_917_100_000_000);
  const rows = await desk.runtime.db.rows<{ id: number }>(
    `WITH many AS (SELECT c.id, v.phone_number_id FROM contacts c CROSS JOIN (
         SELECT phone_number_id FROM conversations WHERE workspace_id = $workspaceId AND phone_number_id > 0 LIMIT 1) v
       WHERE c.workspace_id = $workspaceId AND c.phone LIKE '49171000000%'), spoken AS (
       INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status)
       SELECT $workspaceId, id, phone_number_id, 'inbound', 'text', '{}', 'received' FROM many)
     SELECT id FROM many ORDER BY id`,
    { workspaceId: desk.workspace.id },
  );
  const ids = rows.map(({ id }) => id);
  const ticket = await createTicket(desk.workspace, { pipeline, affected_contact_ids: ids });
  const { sends } = await park('update_ticket', { id: ticket.id, stage: stages[1] });
  expect([sends[0]?.recipients_total, sends[0]?.recipients.map(({ id }) => id)]).toEqual([30, ids.slice(0, 10)]);
});

it('a move tells whom it showed what it showed, though ticket and contacts change meanwhile', async () => {
  const [anna, ben, eve] = [await person('Anna'), await person('Ben'), await person('Eve')];
  const ticket = await createTicket(desk.workspace, {
    pipeline,
    title: 'Broken lamp',
    receiver: anna.id,
    affected_contact_ids: [ben.id],
  });
  const { id, digest, sends } = await park('update_ticket', { id: ticket.id, stage: stages[1] });
  expect(sends).toMatchObject([
    { kind: 'stage_move', stage_name: 'Told', recipients_total: 2, recipients: [{ name: 'Anna' }, { name: 'Ben' }] },
  ]);
  expect(sends[0]?.text).toMatch(/Anna[^]*Broken lamp/);
  const change = { id: ticket.id, title: `CANCELLED, ${evil}`, affected_contact_ids: [ben.id, eve.id] };
  expect((await agent.call('update_ticket', change)).isError).toBe(false);
  await rename(ben.handle, evil);
  expect(await read(id)).toMatchObject({ digest, sends });
  expect((await approve(id, { digest })).status).toBe(200);
  await reaches(anna, [expect.stringMatching(/Anna[^]*Broken lamp/)]);
  await reaches(ben, [expect.stringMatching(/Ben[^]*Broken lamp/)]);
  expect(reached(eve)).toEqual([]);
});

it('leaves out who has opted out or was erased since, and whom it did not show', async () => {
  const [kept, out, erased, quiet] = [
    await person('Kept'),
    await person('Out'),
    await person('Erased Person'),
    await person('Quiet'),
  ];
  await desk.api.patch(`/api/v1/contacts/${quiet.handle}/`, { marketing_opt_out: true });
  const ticket = await createTicket(desk.workspace, {
    pipeline,
    receiver: erased.id,
    affected_contact_ids: [kept.id, out.id, quiet.id],
  });
  const { id, digest, sends } = await park('update_ticket', { id: ticket.id, stage: stages[1] });
  expect(sends).toMatchObject([{ recipients_total: 3 }]);
  await desk.api.patch(`/api/v1/contacts/${quiet.handle}/`, { marketing_opt_out: false });
  await desk.api.patch(`/api/v1/contacts/${out.handle}/`, { marketing_opt_out: true });
  expect((await desk.api.delete(`/api/v1/contacts/${erased.handle}/`)).status).toBe(204);
  const after = await read(id);
  expect(after.sends).toMatchObject([{ recipients_total: 2, recipients: [{ name: 'Kept' }, { name: 'Out' }] }]);
  expect(after.digest).not.toBe(digest);
  expect(JSON.stringify(after)).not.toMatch(`Erased Person|${erased.handle}`);
  expect((await approve(id)).status).toBe(200);
  await reaches(kept, [expect.anything()]);
  await desk.settled();
  expect([out, erased, quiet].map((customer) => reached(customer))).toEqual([[], [], []]);
});

it('a macro sends its texts as they were shown, also the number of the ticket that it creates', async () => {
  const clara = await person('Clara');
  const macro = await createMacro(desk.workspace, [
    step('create_ticket', { title: 'Lost parcel', pipeline }),
    step('move_stage', { stage: stages[1] }),
    step('send_message', {
      body: 'Dear {{1}}, your number is {{2}}.',
      template_variables: mapping(fieldName, { source: 'ticket', field: 'id' }),
    }),
  ]);
  const { id, sends } = await park('run_macro', { macro_id: macro, receiver_id: clara.handle });
  const [move, message] = sends;
  expect(move?.text).toMatch(/Clara[^]*Lost parcel/);
  expect(message?.text).toMatch(/^Dear Clara, your number is \d+\.$/);
  await rename(clara.handle, evil);
  // A ticket that is created meanwhile takes another number.
  await createTicket(desk.workspace, { pipeline });
  expect((await approve(id)).body).toMatchObject({ status: 'approved' });
  await reaches(clara, [expect.anything(), expect.anything()]);
  expect(reached(clara).join()).toContain(message?.text ?? 'no text');
  expect(reached(clara).join()).not.toContain('evil');
  const number = /\d+/.exec(message?.text ?? '')?.[0] ?? '';
  expect((await desk.api.get(`/api/v1/tickets/${number}/`)).body).toMatchObject({ title: 'Lost parcel' });
});

describe('what would send something else than it showed ends', () => {
  const move = async (stage: number): Promise<{ readonly id: number; readonly ticket: number }> => {
    const dora = await person('Dora');
    const ticket = await createTicket(desk.workspace, { pipeline, receiver: dora.id });
    return { id: (await park('update_ticket', { id: ticket.id, stage })).id, ticket: ticket.id };
  };

  it('where the mapping or template of the stage is another one, or the stage is gone', async () => {
    for (const change of [
      { notify_template_variables: mapping({ source: 'static', value: evil }, title) },
      { notify_template_id: null },
      null,
    ]) {
      const stage = await tellingStage();
      const { id, ticket } = await move(stage);
      const path = `${pipelinesPath}${pipeline}/stages/${stage}/`;
      expect((await (change ? desk.api.patch(path, change) : desk.api.delete(path))).status).toBeLessThan(300);
      await expectGone(id);
      expect((await desk.api.get(`/api/v1/tickets/${ticket}/`)).body).toMatchObject({ stage: stages[0] });
    }
  });

  it('where the ticket of a macro has another primary contact', async () => {
    const [hans, ines] = [await person('Hans'), await person('Ines')];
    const ticket = await createTicket(desk.workspace, { pipeline, receiver: hans.id });
    const macro = await createMacro(desk.workspace, [step('send_message', { body: 'Dear Hans' })]);
    const { id } = await park('run_macro', { macro_id: macro, ticket_id: ticket.id });
    expect((await agent.call('update_ticket', { id: ticket.id, receiver: ines.id })).isError).toBe(false);
    await expectGone(id);
    expect([reached(hans), reached(ines)]).toEqual([[], []]);
  });

  it('where the ticket has been moved there already, or deleted', async () => {
    for (const change of ['moved', 'deleted']) {
      const { id, ticket } = await move(stages[1] ?? 0);
      const path = `/api/v1/tickets/${ticket}/`;
      await (change === 'moved' ? desk.api.patch(path, { stage: stages[1] }) : desk.api.delete(path));
      await expectGone(id);
    }
  });

  it('where the template says something else; one that is paused keeps it waiting', async () => {
    const template = templateId(desk.workspace, 'ticket_update');
    const set = (sql: string): Promise<unknown> =>
      desk.runtime.db.rows(`UPDATE templates SET ${sql} WHERE template_id = $template`, { template });
    const { id: moved } = await move(stages[1] ?? 0);
    const emil = await person('Emil');
    const { id: written } = await park('send_template', {
      to: emil.phone,
      template_id: template,
      template_variables: mapping(fieldName),
    });
    await set(`status = 'PAUSED'`);
    for (const id of [moved, written])
      expect([(await approve(id)).status, (await read(id)).status]).toEqual([400, 'pending']);
    await set(`status = 'APPROVED', components = components || '[{"type": "FOOTER", "text": "Pay now"}]'`);
    for (const id of [moved, written]) await expectGone(id);
    await set(`components = components - (jsonb_array_length(components) - 1)`);
    expect(reached(emil)).toEqual([]);
  });
});

it('a number that was given to somebody else is not written to', async () => {
  const template = { template_id: templateId(desk.workspace, 'ticket_update'), template_variables: mapping(fieldName) };
  const known = await person('Known');
  const { id } = await park('send_template', { to: known.phone, ...template });
  await desk.runtime.db.rows(
    `UPDATE contacts SET phone = NULL, bsuid = 'US.' || id, receiver_id = 'US.' || id WHERE id = $id`,
    { id: known.id },
  );
  await createContact(desk.workspace, { phone: known.phone });
  await expectGone(id);
  // Who is not known yet is known by the number only.
  const fresh = { to: '+4915112399001', phone_number_id: desk.workspace.account.phoneNumberId };
  const first = await park('send_template', {
    ...fresh,
    ...template,
    template_variables: mapping({ source: 'static', value: 'Hi' }),
  });
  expect((await approve(first.id)).status).toBe(200);
});

it('opts nobody in again who has opted out since it was shown', async () => {
  const gina = await person('Gina');
  const macro = await createMacro(desk.workspace, [
    step('update_contact', { marketing_opt_out: false }),
    step('send_message', { body: 'Bye' }),
  ]);
  const { id } = await park('run_macro', { macro_id: macro, receiver_id: gina.handle });
  await gina.writes('STOP');
  expect((await approve(id)).status).toBe(400);
  expect((await desk.api.get(`/api/v1/contacts/${gina.handle}/`)).body).toMatchObject({ marketing_opt_out: true });
});

it('shows what an eye would miss', async () => {
  const fred = await person('Fred\u202Egnirts');
  const { sends } = await park('send_message', { to: fred.phone, text: 'Pay\u200b 5\u202e0 EUR 👩‍👧' });
  expect(sends).toMatchObject([
    { text: 'Pay[U+200B] 5[U+202E]0 EUR 👩‍👧', recipients: [{ name: 'Fred[U+202E]gnirts' }] },
  ]);
});
