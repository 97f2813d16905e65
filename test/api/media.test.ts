import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { request as rawRequest } from 'node:http';
import path from 'node:path';
import { request } from 'undici';
import { isMediaUrl } from '../../api/core/platform/upstreamHosts';
import { fetchDueFiles } from '../../api/services/processes/files/fetch';
import { removeFilesAnywhere } from '../../api/services/processes/files/remove';
import { headersOf } from '../../api/services/resources/messages/media';
import { sampleFile } from '../../dev/sandbox/play/samples';
import { createCustomer } from '../factories/customers';
import { postFile } from '../factories/files';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const days = (count: number): string => `interval '${count} days'`;

/** A customer's message with a file, which nobody has fetched yet. */
async function written(message: Json): Promise<{ id: number; handle: string; content: Json }> {
  const customer = createCustomer(desk.workspace);
  await customer.writes(message);
  const { body } = await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
  const [row] = body['results'] as Json[];
  const content = (row?.['body'] as Json)[String(message['type'])] as Json;
  return { id: Number(row?.['id']), handle: customer.handle, content };
}

/** Looks for due files until none is left; those that failed are due again at once. */
async function fetchAll(times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await desk.runtime.db.rows(
      `UPDATE files SET next_attempt_at = now() - interval '1 second' WHERE next_attempt_at IS NOT NULL`,
    );
    while (await fetchDueFiles(desk.runtime));
  }
}

async function received(message: Json): Promise<Awaited<ReturnType<typeof written>>> {
  const found = await written(message);
  await fetchAll();
  return found;
}

const mediaPath = (id: number): string => `/api/v1/messages/${id}/media/`;
const mediaOf = async (id: number): Promise<unknown> => (await desk.api.get(`/api/v1/messages/${id}/`)).body['media'];
const download = async (id: number, method: 'GET' | 'HEAD' = 'GET', asked: Record<string, string> = {}) => {
  const answer = await request(`${desk.url}${mediaPath(id)}`, {
    method,
    headers: { authorization: `Bearer ${desk.workspace.token}`, ...asked },
  });
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
};
/** What lies in the store for the desk's workspace: others' files are swept as well. */
const storedFiles = async (): Promise<string[]> => {
  const names = await readdir(desk.runtime.config.files.directory, { recursive: true });
  return names.filter((name) => name.startsWith(`${desk.workspace.id}${path.sep}`) && name.includes('med_'));
};

describe('the file of a message (contract 17)', () => {
  it('is fetched, checked, shown and served, whatever the platform has of it later', async () => {
    const data = Buffer.from('%PDF-1.4 test\u0000bytes');
    const { id, content } = await written({
      type: 'document',
      document: {
        data: data.toString('base64'),
        mime_type: 'application/pdf',
        filename: '../\u202eRechnung "März".pdf',
      },
    });
    // A stranger's name without what deceives who reads it.
    const announced = { mime_type: 'application/pdf', filename: '_Rechnung _März_.pdf' };
    expect(content['filename']).toBe(announced.filename);
    expect(await mediaOf(id)).toEqual({ status: 'pending', error: '', size: null, sha256: null, ...announced });
    expect(await desk.api.get(mediaPath(id))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { error: 'The attachment is still being fetched. Try again shortly.' },
    });

    await fetchAll();
    desk.sandbox.state.media.delete(String(content['id']));
    const sha256 = createHash('sha256').update(data).digest('hex');
    expect(await mediaOf(id)).toEqual({ status: 'stored', error: '', size: data.length, sha256, ...announced });
    const { status, headers, bytes } = await download(id);
    expect(status).toBe(200);
    expect(bytes.equals(data)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(data.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
      'content-disposition':
        `attachment; filename="_Rechnung _M_rz_.pdf"; ` + `filename*=UTF-8''_Rechnung%20_M%C3%A4rz_.pdf`,
    });
    expect(await download(id, 'HEAD')).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });

    // Safari asks for two bytes first, then for what it plays.
    const part = (range: string, more = {}) => download(id, 'GET', { range, ...more });
    const of = (start: number, end: number) => ({
      status: 206,
      bytes: data.subarray(start, end + 1),
      headers: expect.objectContaining({
        'content-length': String(end - start + 1),
        'content-range': `bytes ${start}-${end}/${data.length}`,
      }) as unknown,
    });
    expect(await part('bytes=0-1')).toMatchObject(of(0, 1));
    expect(await part('bytes=3-')).toMatchObject(of(3, data.length - 1));
    expect(await part('bytes=-2')).toMatchObject(of(data.length - 2, data.length - 1));
    expect(await part(`bytes=${data.length}-`)).toMatchObject({
      status: 416,
      headers: { 'content-range': `bytes */${data.length}`, 'x-error-code': 'range_not_satisfiable' },
    });
    for (const range of ['bytes=0-0,2-2', 'lines=0-1', 'bytes'])
      expect(await part(range)).toMatchObject({ status: 200, bytes: data });
    expect(await part('bytes=0-1', { 'if-range': '"other"' })).toMatchObject({ status: 200, bytes: data });
  });

  it.each(['image', 'audio', 'video', 'sticker'])('is shown in its place: %s', async (type) => {
    const { id } = await received({ type, [type]: {} });
    const { status, headers, bytes } = await download(id);
    expect([status, headers['content-disposition'], bytes.length > 0]).toEqual([200, 'inline', true]);
  });

  it.each([
    ['a drawing with a script', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', 'image/svg+xml'],
    ['a page that is called a picture', '<html><script>1</script></html>', 'image/png'],
  ])('is never shown in its place, but offered for saving: %s', async (_what, text, mime) => {
    const { id } = await received({
      type: 'image',
      image: { data: Buffer.from(text).toString('base64'), mime_type: mime },
    });
    const { headers } = await download(id);
    expect(headers['content-disposition']).toBe('attachment');
    expect(headers['content-type']).not.toMatch(/png|html/);
  });

  it('is a 404 where there is none', async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes({ type: 'text', text: { body: 'x' } });
    const { body } = await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
    const [text] = body['results'] as Json[];
    expect(text?.['media']).toBeNull();
    expect(await desk.api.get(mediaPath(Number(text?.['id'])))).toMatchObject({
      status: 404,
      body: { error: 'This message has no attachment.' },
    });
  });

  it.each([
    ['the link is refused', { kind: 'error', code: 2 }, 'id'],
    ['the question itself is refused', { kind: 'error', code: 100 }, 'id'],
    ['the connection breaks', { kind: 'reset' }, 'id'],
    ['a page comes back', { kind: 'html', status: 502 }, 'id'],
    ['the file is refused', { kind: 'error', code: 2 }, 'file'],
    ['the link has run out', { kind: 'error', code: 803, status: 404 }, 'file'],
    ['the file breaks off', { kind: 'reset' }, 'file'],
  ])('is tried again for seven days: %s', async (_when, given, place) => {
    const { id, content } = await written({ type: 'image', image: {} });
    const fault = desk.sandbox.faults.add({
      ...given,
      path: place === 'id' ? String(content['id']) : '_media/',
      method: 'GET',
    });
    await fetchAll(8);
    expect(await mediaOf(id)).toMatchObject({ status: 'pending', error: expect.stringMatching(/./) });
    // The next try is a pause away, and an outage of hours makes none longer than a quarter of an hour.
    const [row] = await desk.runtime.db.rows<{ pause: number }>(
      `SELECT extract(epoch FROM next_attempt_at - now())::float8 AS pause FROM files
       WHERE id = (SELECT file_id FROM messages WHERE id = $id)`,
      { id },
    );
    expect(row?.pause).toBeGreaterThan(100);
    expect(row?.pause).toBeLessThanOrEqual(900);
    desk.sandbox.faults.clear(fault.id);
    await fetchAll();
    expect((await download(id)).status).toBe(200);
  });

  it('is lost when the seven days are over, and says why', async () => {
    const { id } = await written({ type: 'image', image: {} });
    const fault = desk.sandbox.faults.add({ kind: 'error', code: 2, path: '_media/', method: 'GET' });
    await desk.runtime.db.rows(
      `UPDATE files SET fetch_until = now() - interval '1 second' WHERE next_attempt_at IS NOT NULL`,
    );
    await fetchAll();
    desk.sandbox.faults.clear(fault.id);
    const error = expect.stringContaining('answered with status');
    expect(await mediaOf(id)).toMatchObject({ status: 'lost', error, size: null });
    expect(await desk.api.get(mediaPath(id))).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('lost') },
    });
  });

  it('is lost when the platform says often enough that it has none, or it is too large', async () => {
    const gone = await written({ type: 'image', image: {} });
    desk.sandbox.state.media.delete(String(gone.content['id']));
    await fetchAll(4);
    expect(await mediaOf(gone.id)).toMatchObject({ status: 'pending' });
    await fetchAll();
    expect(await mediaOf(gone.id)).toMatchObject({ status: 'lost', error: 'The platform does not have it any more.' });

    const large = Buffer.concat([sampleFile('sticker').data, Buffer.alloc(600_000)]);
    const { id } = await received({ type: 'sticker', sticker: { data: large.toString('base64') } });
    expect(await mediaOf(id)).toMatchObject({ status: 'lost', error: expect.stringContaining('larger') });
  });

  it('is not lost by fewer such answers, however long an outage was before them', async () => {
    const { id, content } = await written({ type: 'image', image: {} });
    const { media } = desk.sandbox.state;
    const platformId = String(content['id']);
    const file = media.get(platformId);
    if (!file) throw new Error('the sandbox has the file');
    const outage = desk.sandbox.faults.add({ kind: 'reset', path: platformId, method: 'GET' });
    await fetchAll(8);
    desk.sandbox.faults.clear(outage.id);
    media.delete(platformId);
    await fetchAll(4);
    expect(await mediaOf(id)).toMatchObject({ status: 'pending' });
    media.set(platformId, file);
    await fetchAll();
    expect(await mediaOf(id)).toMatchObject({ status: 'stored' });
  });

  it('is not what was announced: it is tried again, and not kept', async () => {
    const { id, content } = await written({ type: 'image', image: {} });
    const file = desk.sandbox.state.media.get(String(content['id']));
    if (!file) throw new Error('the sandbox has the file');
    const { data } = file;
    file.data = Buffer.concat([data.subarray(0, -1), Buffer.from('x')]);
    await fetchAll();
    expect(await mediaOf(id)).toMatchObject({ status: 'pending', error: expect.stringContaining('announced') });
    file.data = data;
    await fetchAll();
    expect(await mediaOf(id)).toMatchObject({ status: 'stored' });
  });

  it('waits while the store is away, and is a 503 while it cannot be read', async () => {
    const { id } = await written({ type: 'image', image: {} });
    const { directory } = desk.runtime.config.files;
    const write = jest.spyOn(desk.runtime.files, 'write').mockRejectedValueOnce(new Error('no space left on device'));
    await fetchAll();
    write.mockRestore();
    expect(await mediaOf(id)).toMatchObject({ status: 'pending', error: 'no space left on device' });
    await fetchAll();
    expect((await download(id)).status).toBe(200);
    await rm(directory, { recursive: true });
    expect(await desk.api.get(mediaPath(id))).toMatchObject({ status: 404 });
  });

  it('goes with its customer, out of the store as well', async () => {
    const { id, handle } = await received({ type: 'image', image: {} });
    expect(await mediaOf(id)).toMatchObject({ status: 'stored' });
    const before = await storedFiles();
    expect((await desk.api.delete(`/api/v1/contacts/${handle}/`)).status).toBe(204);
    await removeFilesAnywhere(desk.runtime);
    expect(await storedFiles()).toHaveLength(before.length - 1);
    const left = 'SELECT id FROM removed_files WHERE workspace_id = $id';
    expect(await desk.runtime.db.rows(left, { id: desk.workspace.id })).toEqual([]);
  });

  it('leaves nothing in the store where its customer was erased while it came', async () => {
    const { handle } = await written({ type: 'image', image: {} });
    const { write } = desk.runtime.files;
    const held = jest.spyOn(desk.runtime.files, 'write').mockImplementationOnce(async (name, bytes) => {
      await write(name, bytes);
      await desk.api.delete(`/api/v1/contacts/${handle}/`);
      await removeFilesAnywhere(desk.runtime);
      await write(name, (await desk.runtime.files.read(name)) ?? bytes);
    });
    const before = await storedFiles();
    await fetchAll();
    held.mockRestore();
    expect(await storedFiles()).toEqual(before);
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

  it.each([
    ['half a character', `${'x'.repeat(10)}\ud83d.pdf`],
    ['a character that the limit cuts in two', `${'x'.repeat(199)}\u{1f600}.pdf`],
  ])('can be opened where its name holds %s', (_what, filename) => {
    const headers = headersOf({ mime_type: 'application/pdf', filename });
    expect(headers['Content-Disposition']).toMatch(/^attachment; filename="x+[^"]*"; filename\*=UTF-8''x+[%\w.]*$/);
  });
});

describe('POST /media/ (contract 17)', () => {
  const png = sampleFile('image').data;
  it('keeps a file and says what it is, whatever it was called', async () => {
    expect(await postFile(desk.workspace, png, { name: '../my "photo"\u202e.png', type: 'text/html' })).toEqual({
      status: 201,
      code: null,
      body: {
        id: expect.stringMatching(/^med_[0-9a-f]{32}$/),
        mime_type: 'image/png',
        size: png.length,
        sha256: createHash('sha256').update(png).digest('hex'),
        filename: expect.stringMatching(/^my .*photo.*_\.png$/),
        created_at: expect.stringMatching(/^\d{4}-/),
      },
    });
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'image/png', 400, { file: ['The submitted file is empty.'] }],
    [
      'a program',
      Buffer.from('4d5a900003000000', 'hex'),
      'image/png',
      415,
      { error: expect.stringContaining('msdownload') },
    ],
    ['a drawing', Buffer.from('<svg/>'), 'image/svg+xml', 415, { error: expect.stringContaining('svg') }],
    ['an archive', Buffer.from('PK\u0003\u0004', 'latin1'), '', 415, { error: expect.stringContaining('zip') }],
  ])('refuses %s, and keeps nothing of it', async (_what, bytes, type, status, body) => {
    const before = await storedFiles();
    expect(await postFile(desk.workspace, bytes, { name: 'x', type })).toMatchObject({ status, body });
    expect(await storedFiles()).toEqual(before);
    const kept = `SELECT id FROM files WHERE workspace_id = $id AND origin = 'upload' AND status <> 'stored'`;
    expect(await desk.runtime.db.rows(kept, { id: desk.workspace.id })).toEqual([]);
  });

  it('refuses what is no form with a file', async () => {
    const refused = await desk.api.post('/api/v1/media/', { file: 'x' });
    expect(refused).toMatchObject({
      status: 415,
      body: { error: 'Unsupported media type "application/json" in request.' },
    });
    expect(await postFile(desk.workspace, png, { part: 'picture' })).toMatchObject({
      status: 400,
      body: { file: ['No file was submitted.'] },
    });
  });

  /** Sends the beginning of a form whose file never ends, and returns how it was answered before that. */
  function endless(headers: Record<string, string>, chunk: Buffer): Promise<{ status: number; sent: number }> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      const req = rawRequest(`${desk.url}/api/v1/media/`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${desk.workspace.token}`,
          'content-type': 'multipart/form-data; boundary=x',
          ...headers,
        },
      });
      req.on('response', (response) => {
        resolve({ status: response.statusCode ?? 0, sent });
        req.destroy();
      });
      req.on('error', reject);
      const more = (): void => {
        while (!req.destroyed && req.write(chunk)) sent += chunk.length;
        req.once('drain', more);
      };
      req.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: video/mp4\r\n\r\n');
      req.write(sampleFile('video').data);
      more();
    });
  }

  it.each([
    ['as many bytes as it may', 'customer', 53_687_091_200, 'The workspace has as many files as it may'],
    ['2 GB that nothing uses', 'upload', 2 * 2 ** 30, 'Uploads that nothing uses may have 2147483648 bytes'],
  ])('of a workspace with %s is refused, that of another one kept', async (_what, origin, size, message) => {
    const [full, other] = [await createWorkspace(desk), await createWorkspace(desk)];
    await desk.runtime.db.rows(
      `INSERT INTO files (workspace_id, origin, status, size, sha256) VALUES ($id, $origin, 'stored', $size, 'x')`,
      { id: full.id, origin, size },
    );
    const png = sampleFile('image').data;
    const { status, code, body } = await postFile(full, png);
    expect([status, code, String(body['error'])]).toEqual([409, 'conflict', expect.stringContaining(message)]);
    expect((await postFile(other, png)).status).toBe(201);
  });

  it('refuses a file that is too large as soon as that is clear', async () => {
    const chunk = Buffer.alloc(262_144);
    // Two gigabytes, as its length says: unread.
    const announced = await endless({ 'content-length': String(2 * 1024 ** 3) }, chunk);
    expect(announced.status).toBe(413);
    // Without a length: once it has had the hundred megabytes of a document.
    const before = await storedFiles();
    const counted = await endless({}, chunk);
    expect(counted.status).toBe(413);
    expect(counted.sent).toBeLessThan(140 * 1024 ** 2);
    expect(await storedFiles()).toEqual(before);
  });

  it('keeps nothing of an upload that breaks off', async () => {
    const before = await storedFiles();
    const req = rawRequest(`${desk.url}/api/v1/media/`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${desk.workspace.token}`,
        'content-type': 'multipart/form-data; boundary=x',
      },
    });
    req.on('error', () => undefined);
    req.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
    await new Promise((resolve) => req.write(Buffer.concat([png, Buffer.alloc(100_000)]), resolve));
    await new Promise((resolve) => setTimeout(resolve, 100));
    req.destroy();
    expect(await storedFiles()).toEqual(before);
  });

  it.each([
    ['INSERT', '57014', 503],
    ['UPDATE', '55P03', 503],
    ['UPDATE', '22012', 500],
  ])('does not blame the request for trouble of the database: %s, %s', async (event, state, status) => {
    await desk.runtime.db.rows(
      `CREATE FUNCTION make_trouble() RETURNS trigger LANGUAGE plpgsql AS $body$
       BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '${state}'; END $body$`,
    );
    await desk.runtime.db.rows(
      `CREATE TRIGGER trouble BEFORE ${event} ON files FOR EACH ROW EXECUTE FUNCTION make_trouble()`,
    );
    const before = await storedFiles();
    expect((await postFile(desk.workspace, png)).status).toBe(status);
    await desk.runtime.db.rows('DROP FUNCTION make_trouble() CASCADE');
    await removeFilesAnywhere(desk.runtime);
    expect(await storedFiles()).toEqual(before);
  });

  it('goes after seven days where its process ended before it was kept', async () => {
    const { db } = desk.runtime;
    const before = await storedFiles();
    // Neither kept nor taken back, as after a kill.
    await db.rows('CREATE RULE dead_update AS ON UPDATE TO files DO INSTEAD NOTHING');
    await db.rows('CREATE RULE dead_delete AS ON DELETE TO files DO INSTEAD NOTHING');
    await postFile(desk.workspace, png);
    await db.rows('DROP RULE dead_update ON files');
    await db.rows('DROP RULE dead_delete ON files');
    const swept = async (count: number): Promise<string[]> => {
      await db.rows(`UPDATE files SET look_at = look_at - ${days(count)} WHERE status = 'pending'`);
      await removeFilesAnywhere(desk.runtime);
      return storedFiles();
    };
    expect(await swept(6)).toHaveLength(before.length + 1);
    expect(await swept(1)).toEqual(before);
  });

  it('goes after seven days where nothing uses it', async () => {
    const { body } = await postFile(desk.workspace, png);
    const aged = (count: number): Promise<object[]> =>
      desk.runtime.db.rows(`UPDATE files SET look_at = look_at - ${days(count)} WHERE public_id = $id`, {
        id: body['id'],
      });
    const name = (await storedFiles()).find((one) => one.endsWith(String(body['id'])));
    expect(name).toBe(path.join(String(desk.workspace.id), String(body['id']).slice(4, 6), String(body['id'])));
    await aged(6);
    await removeFilesAnywhere(desk.runtime);
    expect(await storedFiles()).toContain(name);
    await aged(1);
    await removeFilesAnywhere(desk.runtime);
    expect(await storedFiles()).not.toContain(name);
  });
});
