import { headersOf } from '../../api/services/resources/messages/media';
import { request } from 'undici';
import { isMediaUrl } from '../../api/core/platform/upstreamHosts';
import { createCustomer } from '../factories/customers';
import { createWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

async function received(message: Json): Promise<{ id: number; content: Json }> {
  const customer = createCustomer(desk.workspace);
  await customer.writes(message);
  const { body } = await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
  const [row] = body['results'] as Json[];
  const content = (row?.['body'] as Json)[String(message['type'])] as Json;
  return { id: Number(row?.['id']), content };
}

const path = (id: number): string => `/api/v1/messages/${id}/media/`;
const download = async (id: number, method: 'GET' | 'HEAD' = 'GET') => {
  const answer = await request(`${desk.url}${path(id)}`, {
    method,
    headers: { authorization: `Bearer ${desk.workspace.token}` },
  });
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
};

describe('GET /messages/{id}/media/ (contract 6)', () => {
  it('streams what the customer sent, with type, length and name', async () => {
    const data = Buffer.from('%PDF-1.4 test\u0000bytes');
    const { id } = await received({
      type: 'document',
      document: { data: data.toString('base64'), mime_type: 'application/pdf', filename: 'Rechnung "März".pdf' },
    });
    const { status, headers, bytes } = await download(id);
    expect(status).toBe(200);
    expect(bytes.equals(data)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(data.length),
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-disposition']).toBe(
      `attachment; filename="Rechnung _M_rz_.pdf"; filename*=UTF-8''Rechnung%20_M%C3%A4rz_.pdf`,
    );
    expect(await download(id, 'HEAD')).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
  });

  it.each(['image', 'audio', 'video', 'sticker'])('streams %s to be shown in place', async (type) => {
    const { id } = await received({ type, [type]: {} });
    const { status, headers, bytes } = await download(id);
    expect([status, headers['content-disposition'], bytes.length > 0]).toEqual([200, 'inline', true]);
  });

  it('is a 404 where there is no attachment, no longer one, or another workspace', async () => {
    const text = await received({ type: 'text', text: { body: 'x' } });
    expect(await desk.api.get(path(text.id))).toMatchObject({
      status: 404,
      body: { error: 'This message has no attachment.' },
    });
    const { id, content } = await received({ type: 'image', image: {} });
    const other = await createWorkspace(desk);
    expect(await other.api.get(path(id))).toMatchObject({ status: 404, body: { error: 'Not found.' } });
    expect((await desk.workspace.key(['contact.view']).then(({ api }) => api.get(path(id)))).status).toBe(403);
    desk.sandbox.state.media.delete(String(content['id']));
    expect(await desk.api.get(path(id))).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('not available') },
    });
    expect((await desk.api.get(path(2_000_000_000))).status).toBe(404);
  });

  it('is a 503 where the platform refuses the question itself, which is no reason to call a file gone', async () => {
    const { id, content } = await received({ type: 'image', image: {} });
    const fault = desk.sandbox.faults.add({ kind: 'error', code: 100, path: String(content['id']), method: 'GET' });
    expect((await desk.api.get(path(id))).status).toBe(503);
    desk.sandbox.faults.clear(fault.id);
  });

  it('asks for a new link when the first one has run out', async () => {
    const { id } = await received({ type: 'image', image: {} });
    const fault = desk.sandbox.faults.add({ kind: 'error', code: 803, status: 404, path: '_media/', times: 1 });
    expect((await download(id)).status).toBe(200);
    desk.sandbox.faults.clear(fault.id);
  });

  it.each([
    ['the link is asked for', { kind: 'error', code: 2 }, 'id'],
    ['the link is asked for, and the connection breaks', { kind: 'reset' }, 'id'],
    ['the link is asked for, and a page comes back', { kind: 'html', status: 502 }, 'id'],
    ['the file is fetched', { kind: 'error', code: 2 }, 'file'],
    ['the file is fetched, and the connection breaks', { kind: 'reset' }, 'file'],
  ])('is a 503 while the upstream is away: when %s', async (_when, given, place) => {
    const { id, content } = await received({ type: 'image', image: {} });
    const fault = desk.sandbox.faults.add({
      ...given,
      path: place === 'id' ? String(content['id']) : '_media/',
      method: 'GET',
    });
    for (const method of ['GET', 'GET', 'HEAD']) {
      const answer = await desk.api.request(method, path(id));
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
      if (method === 'GET')
        expect(answer.body).toEqual({ error: 'The platform cannot be reached. Try again shortly.' });
    }
    expect(fault.hits).toBe(3);
    desk.sandbox.faults.clear(fault.id);
    expect((await download(id)).status).toBe(200);
  });

  it('gives the token to no other host', () => {
    const config = { upstream: { url: 'https://graph.facebook.com', version: 'v23.0' } };
    for (const good of [
      'https://graph.facebook.com/x',
      'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1',
    ])
      expect(isMediaUrl(good, config)).toBe(true);
    for (const bad of [
      'http://lookaside.fbsbx.com/x',
      'https://lookaside.fbsbx.com.evil.example/',
      'https://evil.example/lookaside.fbsbx.com',
      'https://graph.facebook.com@evil.example/',
      'https://user@graph.facebook.com/',
      'http://169.254.169.254/',
      'https://graph.facebook.com:444/',
      'file:///etc/passwd',
      '',
      '//graph.facebook.com/',
    ])
      expect([bad, isMediaUrl(bad, config)]).toEqual([bad, false]);
  });
});

it.each([
  ['half a character', `${'x'.repeat(10)}\ud83d.pdf`],
  ['a character that the limit cuts in two', `${'x'.repeat(199)}\u{1f600}.pdf`],
])('an attachment whose name holds %s can be opened', (_what, filename) => {
  const headers = headersOf({ id: '1', filename, account: 1 }, 'application/pdf', 3);
  expect(headers['Content-Disposition']).toMatch(/^attachment; filename="x+[^"]*"; filename\*=UTF-8''x+[%\w.]*$/);
});
