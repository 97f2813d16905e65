import { execFile } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { promisify } from 'node:util';
import { sampleFile } from '../../dev/sandbox/play/samples';
import type { TestApi } from '../support/api';
import { dashboardBrowser } from '../support/dashboard';
import { sharedDesk } from '../support/sharedDesk';

/*
 * A file is refused when its first bytes are read. Its sender may not look at the answer before the last byte is sent,
 * and gets it all the same; nobody reads on for longer than that takes.
 */

const border = 'border';
const head =
  `--${border}\r\ncontent-disposition: form-data; name="file"; filename="x.png"\r\n` +
  'content-type: image/png\r\n\r\n';
/** A kind of picture that the platform does not take, whatever it says of itself. */
const content = Buffer.concat([
  Buffer.from(head),
  Buffer.alloc(20 * 1024 * 1024, 'GIF89a'),
  Buffer.from(`\r\n--${border}--`),
]);

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const headers = (): Record<string, string> => ({
  authorization: `Bearer ${desk.workspace.token}`,
  'content-type': `multipart/form-data; boundary=${border}`,
});

it("Python's http.client has the answer, and then the end of the connection", async () => {
  const script = `
import http.client, json, sys
url, headers, body = sys.argv[1], json.loads(sys.argv[2]), b'${head.replace(/\r\n/g, '\\r\\n')}' + b'GIF89a' * 3500000
connection = http.client.HTTPConnection(url, timeout=30)
try:
    connection.request('POST', '/api/v1/media/', body, headers)
except (BrokenPipeError, ConnectionResetError):
    pass
answer = connection.getresponse()
print(json.dumps([answer.status, answer.getheader('Connection'), json.loads(answer.read())]))
`;
  const { stdout } = await promisify(execFile)('python3', [
    '-c',
    script,
    new URL(desk.url).host,
    JSON.stringify(headers()),
  ]);
  expect(JSON.parse(stdout)).toEqual([
    415,
    'close',
    { error: expect.stringContaining('This kind of file cannot be sent') as string },
  ]);
});

it("Node's http has the answer while it sends, and then the end of the connection", async () => {
  const request = httpRequest(`${desk.url}/api/v1/media/`, { method: 'POST', headers: headers() });
  const status = new Promise<number | undefined>((resolve) =>
    request.on('response', (answer) => resolve(answer.resume().statusCode)),
  );
  const closed = new Promise<void>((resolve) => request.on('close', resolve));
  // What is sent after the end of the connection is an error of it.
  request.on('error', () => undefined);
  // The file never ends.
  request.write(content);
  expect(await status).toBe(415);
  const more = setInterval(() => request.write(Buffer.alloc(65_536)), 20);
  await closed;
  clearInterval(more);
});

it("fetch of Node and a browser's fetch have the answer", async () => {
  const answer = await fetch(`${desk.url}/api/v1/media/`, { method: 'POST', headers: headers(), body: content });
  expect(answer.status).toBe(415);

  const sam = await dashboardBrowser(desk, { role: 'owner' });
  await sam.open('/dashboard/inbox/');
  const said = await sam.page
    .evaluate(`ui.upload(new File(['GIF89a'.repeat(3_500_000)], 'x.png', { type: 'image/png' }))
    .catch(({ message }) => message)`);
  expect(said).toContain('This kind of file cannot be sent');
});

it("a refused file is told in the member's language, and the end of a session leads to sign in", async () => {
  const kim = await dashboardBrowser(desk);
  await desk.runtime.db.models.Member.update({ locale: 'de' }, { where: { id: kim.member.id } });
  await kim.open('/dashboard/inbox/');
  const upload = (bytes: string): string =>
    `ui.upload(new File([${bytes}], 'x.exe', { type: 'image/png' })).catch(({ message }) => message)`;
  expect(await kim.page.evaluate(upload(`new Uint8Array([0x4d, 0x5a, 0x90, 0])`))).toContain('kann nicht gesendet');
  expect(await kim.page.evaluate(upload(`''`))).toBe('Die Datei ist leer.');
  const answer = await kim.page.request.post('/dashboard/media/', { multipart: { file: 'none' } });
  expect([answer.status(), await answer.json()]).toEqual([403, { error: expect.stringContaining('Seite') as string }]);
  await kim.page.context().clearCookies();
  await kim.page.evaluate(upload(`'Dear all'`)).catch(() => undefined);
  await kim.page.waitForURL(/sign-in/);
});

it('what is kept leaves the connection open', async () => {
  const small = Buffer.concat([Buffer.from(head), sampleFile('image').data, Buffer.from(`\r\n--${border}--`)]);
  const kept = await fetch(`${desk.url}/api/v1/media/`, { method: 'POST', headers: headers(), body: small });
  expect([kept.status, kept.headers.get('connection')]).toEqual([201, 'keep-alive']);
});
