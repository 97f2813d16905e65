import { FileStoreError } from '../../api/core/files/store';
import { removeFilesAnywhere } from '../../api/services/processes/files/remove';
import { sampleFile } from '../../dev/sandbox/play/samples';
import { createBroadcast } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { uploadFile } from '../factories/files';
import { createMacro, ownerSession } from '../factories/macros';
import { createPipeline, createTicket, ticketsPath } from '../factories/tickets';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;

const ids = { picture: `51${unique()}`, papers: `52${unique()}`, text: `53${unique()}` };
const template = (id: string, name: string, header: Json[]): Json => ({
  id,
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [...header, { type: 'BODY', text: 'Hello {{1}}.', example: { body_text: [['x']] } }],
});
const header = (format: string): Json => ({ type: 'HEADER', format, example: { header_handle: ['https://x.test/i'] } });
const variables = { body: { '1': { source: 'static', value: 'you' } } };
const png = sampleFile('image').data;
const pdf = sampleFile('document').data;

let desk: TestApi;
let shop: TestWorkspace;
let anna: TestCustomer;
let picture: string;
beforeAll(async () => {
  desk = await sharedDesk('worker');
  shop = await createWorkspace(desk, {
    account: {
      templates: [
        template(ids.picture, 'picture', [header('IMAGE')]),
        template(ids.papers, 'papers', [header('DOCUMENT')]),
        template(ids.text, 'words', []),
      ],
    },
  });
  anna = createCustomer(shop, { name: 'Anna' });
  await anna.writes('Hello');
  picture = await uploadFile(shop, png);
});
afterAll(() => desk.close());

const send = (body: Json) => shop.api.post('/api/v1/messages/', { to: anna.phone, ...body });
/** What the platform has of our uploads, by their names there. */
const uploads = () => [...desk.sandbox.state.media.values()].filter((file) => file.uploaded_on !== null);

/** The request that reached the platform for a message of ours. */
async function arrived(id: unknown): Promise<Json> {
  await desk.work();
  const row = await desk.runtime.db.row<{ wamid: string | null }>(
    'SELECT wamid, error_message, message_status FROM messages WHERE id = $id',
    { id },
  );
  const record = row?.wamid ? desk.sandbox.state.messages.get(row.wamid) : undefined;
  if (record?.direction !== 'out') throw new Error(`not sent: ${JSON.stringify(row)}`);
  return record.body as Json;
}
const contentOf = async (id: unknown, type: string): Promise<Json> => (await arrived(id))[type] as Json;
const status = async (id: unknown): Promise<unknown> => (await shop.api.get(`/api/v1/messages/${id}/`)).body;

describe('a message with a file of ours (contract 17)', () => {
  it('goes out by what the platform calls the file, which was uploaded once, and is shown with it', async () => {
    const before = uploads().length;
    const first = await send({ type: 'image', image: { id: picture, caption: 'Yours' } });
    expect(first).toMatchObject({
      status: 201,
      body: {
        body: { type: 'image', image: { id: picture, caption: 'Yours' } },
        media: { status: 'stored', mime_type: 'image/png', size: png.length, filename: 'photo.png' },
      },
    });
    const second = await send({ type: 'image', image: { id: picture } });
    const [sent, again] = [await contentOf(first.body['id'], 'image'), await contentOf(second.body['id'], 'image')];
    expect(uploads()).toHaveLength(before + 1);
    const file = desk.sandbox.state.media.get(String(sent['id']));
    expect([again['id'], file?.data.equals(png), file?.mime_type]).toEqual([sent['id'], true, 'image/png']);
    expect(sent['caption']).toBe('Yours');
    const seen = await shop.api.get(`/api/v1/messages/${String(first.body['id'])}/media/`);
    expect([seen.status, seen.headers['content-type']]).toEqual([200, 'image/png']);
  });

  it('is uploaded anew after twenty-five days', async () => {
    const file = await uploadFile(shop, png);
    const sent = async (): Promise<unknown> =>
      (await contentOf((await send({ type: 'image', image: { id: file } })).body['id'], 'image'))['id'];
    const aged = (days: number): Promise<object[]> =>
      desk.runtime.db.rows(
        `UPDATE file_uploads SET uploaded_at = now() - $days * interval '1 day'
         WHERE file_id = (SELECT id FROM files WHERE public_id = $file)`,
        { days, file },
      );
    const first = await sent();
    await aged(24);
    expect(await sent()).toBe(first);
    await aged(25);
    expect(await sent()).not.toBe(first);
  });

  it('names a document as it was uploaded, unless the message does', async () => {
    const file = await uploadFile(shop, pdf, 'Invoice.pdf');
    const named = await send({ type: 'document', document: { id: file } });
    expect((await contentOf(named.body['id'], 'document'))['filename']).toBe('Invoice.pdf');
    const other = await send({ type: 'document', document: { id: file, filename: 'Other.pdf' } });
    expect((await contentOf(other.body['id'], 'document'))['filename']).toBe('Other.pdf');
  });

  it('may stand in the header of a template and of buttons', async () => {
    const parameters = [{ type: 'image', image: { id: picture } }];
    const components = [
      { type: 'header', parameters },
      { type: 'body', parameters: [{ type: 'text', text: 'Anna' }] },
    ];
    const one = await send({ template: { name: 'picture', language: 'en_US', components } });
    expect(one.status).toBe(201);
    expect(JSON.stringify(await arrived(one.body['id']))).toMatch(/"image":\{"id":"\d+"\}/);
    const two = await send({
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'image', image: { id: picture } },
        body: { text: 'Right?' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
      },
    });
    expect(two.body['media']).toMatchObject({ status: 'stored' });
    expect(JSON.stringify(await arrived(two.body['id']))).toMatch(/"image":\{"id":"\d+"\}/);
  });

  it('is kept while a macro sends it, or a call that waits for a decision, and no longer', async () => {
    const agent = createAgent((await shop.key(['all'], { autonomy: 'draft' })).api);
    const { api } = await ownerSession(shop);
    const parked = async (): Promise<{ file: string; path: string }> => {
      const file = await uploadFile(shop, png);
      const components = [
        { type: 'header', parameters: [{ type: 'image', image: { id: file } }] },
        { type: 'body', parameters: [{ type: 'text', text: 'Anna' }] },
      ];
      const template = { name: 'picture', language: 'en_US', components };
      const { json } = await agent.call('send_template', { to: anna.phone, template });
      return { file, path: `/api/v1/approvals/${String(json['approval_id'])}/` };
    };
    const [approved, rejected] = [await parked(), await parked()];
    await api.post(`${rejected.path}reject/`, {});
    const saved = await uploadFile(shop, png);
    await createMacro(shop, [{ type: 'send_message', params: { type: 'image', image: { id: saved } } }]);
    await desk.runtime.db.rows("UPDATE files SET look_at = now() - interval '1 minute'");
    await removeFilesAnywhere(desk.runtime);
    expect((await api.post(`${approved.path}approve/`, {})).status).toBe(200);
    expect((await send({ type: 'image', image: { id: rejected.file } })).status).toBe(400);
    expect((await send({ type: 'image', image: { id: saved } })).status).toBe(201);
  });

  it('is refused where there is no such file here, or it is none for this type', async () => {
    const none = `med_${'0'.repeat(32)}`;
    const refusal = (type: string, text: unknown) => ({ status: 400, body: { [type]: [text] } });
    expect(await send({ type: 'image', image: { id: none } })).toMatchObject(
      refusal('image', `id: There is no uploaded file "${none}".`),
    );
    const foreign = await uploadFile(desk.workspace, png);
    expect((await send({ type: 'image', image: { id: foreign } })).status).toBe(400);
    expect(await send({ type: 'video', video: { id: picture } })).toMatchObject(
      refusal('video', 'id: A file of type image/png cannot be sent as video.'),
    );
    // A document may be as large; a picture may not.
    const large = await uploadFile(shop, Buffer.concat([png, Buffer.alloc(6 * 1024 ** 2)]));
    expect(await send({ type: 'image', image: { id: large } })).toMatchObject(
      refusal('image', expect.stringContaining('as image it may have 5242880')),
    );
    expect((await send({ type: 'document', document: { id: large } })).status).toBe(201);
  });

  it('waits while the store is away or the platform takes no files, and goes out afterwards', async () => {
    const file = await uploadFile(shop, png);
    const away = jest.spyOn(desk.runtime.files, 'read').mockRejectedValueOnce(new FileStoreError(new Error('away')));
    const one = await send({ type: 'image', image: { id: file } });
    await eventually(() => expect(away).toHaveBeenCalled());
    away.mockRestore();
    const fault = desk.sandbox.faults.add({ kind: 'error', code: 2, method: 'POST', path: '/media', times: 2 });
    await desk.runtime.db.rows(
      `UPDATE messages SET next_attempt_at = now() - interval '1 second',
        look_at = now() - interval '1 second' WHERE id = $id`,
      {
        id: one.body['id'],
      },
    );
    // Two uploads are refused, each with a pause after it.
    expect((await eventually(() => contentOf(one.body['id'], 'image')))['id']).toMatch(/^\d+$/);
    expect(fault.hits).toBe(2);
    // To wait for the store was no attempt; two uploads that were refused and the call were.
    const counted = await desk.runtime.db.row(
      'SELECT attempts - file_waits AS tries, file_waits FROM messages WHERE id = $id',
      { id: one.body['id'] },
    );
    expect(counted).toEqual({ tries: 3, file_waits: 1 });
  });

  it('fails where the platform will not have the file, and says so', async () => {
    const file = await uploadFile(shop, png);
    const fault = desk.sandbox.faults.add({ kind: 'error', code: 131053, method: 'POST', path: '/media', times: 1 });
    const { body } = await send({ type: 'image', image: { id: file } });
    await desk.work();
    expect(await status(body['id'])).toMatchObject({ message_status: 'failed', error_code: 131053 });
    desk.sandbox.faults.clear(fault.id);
  });
});

describe('the header of a template', () => {
  it('of a broadcast is a file of ours, required where it is one, and uploaded once for all', async () => {
    const body = {
      template_id: ids.picture,
      phone_number_id: shop.account.phoneNumberId,
      template_variables: variables,
    };
    const create = (more: Json) =>
      shop.api.post('/api/v1/broadcasts/', { name: 'x', audience: { receiver_ids: [anna.handle] }, ...body, ...more });
    expect(await create({})).toMatchObject({ status: 400, body: { header_media: ['This field is required.'] } });
    const papers = await uploadFile(shop, pdf);
    expect(await create({ header_media: { id: papers } })).toMatchObject({
      status: 400,
      body: { header_media: ['A file of type application/pdf cannot be sent as image.'] },
    });
    expect(await create({ template_id: ids.text, header_media: { id: papers } })).toMatchObject({
      status: 400,
      body: { header_media: ['The header of this template takes no file.'] },
    });

    const bella = createCustomer(shop, { name: 'Bella' });
    await bella.writes('Hello');
    const fresh = await uploadFile(shop, png);
    const before = uploads().length;
    const id = await createBroadcast(shop, {
      ...body,
      audience: { receiver_ids: [anna.handle, bella.handle] },
      header_media: { id: fresh },
    });
    const path = `/api/v1/broadcasts/${id}/`;
    expect((await shop.api.get(path)).body['header_media']).toEqual({ id: fresh });
    // Another template has no use for it; back again, it asks for one.
    expect((await shop.api.patch(path, { template_id: ids.text })).body['header_media']).toBeNull();
    const back = { template_id: ids.picture, header_media: { id: fresh } };
    expect((await shop.api.patch(path, back)).body).toMatchObject({ header_media: { id: fresh } });
    const preview = await shop.api.post(`${path}preview/`, {});
    expect(JSON.stringify(preview.body)).toContain(`"image":{"id":"${fresh}"}`);

    await shop.api.post(`${path}confirm/`, {});
    await desk.work();
    expect((await shop.api.get(path)).body).toMatchObject({ status: 'completed', stats: { sent: 2 } });
    expect(uploads()).toHaveLength(before + 1);
    const sent = await desk.runtime.db.rows<{ id: number; body: Json }>(
      'SELECT id, body FROM messages WHERE broadcast_id = $id AND file_id IS NOT NULL',
      { id },
    );
    expect(sent).toHaveLength(2);
    for (const message of sent) {
      expect(JSON.stringify(message.body)).toContain(fresh);
      expect(JSON.stringify(await arrived(message.id))).toMatch(/"image":\{"id":"\d+"\}/);
    }
    const { body: again } = await shop.api.post(`${path}resend/`, {});
    expect(again['header_media']).toEqual({ id: fresh });

    await desk.runtime.db.rows(
      `UPDATE templates SET components = replace(components::text, 'IMAGE', 'VIDEO')::jsonb WHERE template_id = $id`,
      { id: ids.picture },
    );
    await shop.api.post(`/api/v1/broadcasts/${again['id']}/confirm/`, {});
    await desk.work();
    expect((await shop.api.get(`/api/v1/broadcasts/${again['id']}/`)).body['failure_reason']).toContain(
      'header_media: A file of type image/png cannot be sent as video.',
    );
  });

  it('of a stage is a file of ours as well, as it was when the ticket moved', async () => {
    const papers = await uploadFile(shop, pdf, 'Terms.pdf');
    const pipeline = await createPipeline(shop, ['New', 'Told']);
    const told = pipeline.stages[1]?.id ?? 0;
    const path = `/api/v1/ticket-pipelines/${pipeline.id}/stages/${told}/`;
    const notify = { notify_template_id: ids.papers, notify_template_variables: variables };
    expect(await shop.api.patch(path, notify)).toMatchObject({
      status: 400,
      body: { notify_template_media_id: ['This field is required.'] },
    });
    const stage = await shop.api.patch(path, { ...notify, notify_template_media_id: papers });
    expect(stage).toMatchObject({ status: 200, body: { notify_template_media_id: papers } });
    expect((await shop.api.patch(path, stage.body)).status).toBe(200);

    const { body: contact } = await shop.api.get(`/api/v1/contacts/${anna.handle}/`);
    const ticket = await createTicket(shop, { pipeline: pipeline.id, receiver: contact['id'] });
    await shop.api.patch(`${ticketsPath}${ticket['id']}/`, { stage: told });
    expect((await shop.api.patch(path, { notify_template_id: null })).body['notify_template_media_id']).toBeNull();
    await desk.work();
    const message = await desk.runtime.db.row<{ id: number }>(
      "SELECT id FROM messages WHERE workspace_id = $id AND origin = 'stage'",
      { id: shop.id },
    );
    expect(JSON.stringify(await arrived(message?.id))).toMatch(/"document":\{"id":"\d+","filename":"Terms.pdf"\}/);
  });
});
