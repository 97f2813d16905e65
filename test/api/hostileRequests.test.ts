import { pageRoutes } from '../../api/doors/dashboard/routes/router';
import { operations } from '../../api/operations';
import { createMember, createSession } from '../factories/members';
import { hostileHeads, hostileMethods, pouring, sendHead } from '../hostile/requests';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/*
 * Heads, methods and ways of sending that no client has, over every operation and page: none is a fault of ours, each
 * gets its answer, and a short one. How long others wait for them is a figure: `npm run bench -- --only hostile`.
 */

let desk: TestApi;
let cookie: string;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  cookie = `cookie: token=${(await createSession(await createMember(desk.workspace, { role: 'owner' }))).token}`;
});
afterAll(() => desk.close());

const named = (path: string): string => path.replace(/\{\w+\}|:\w+/g, '1');
const places = [
  ...new Set([...operations, ...pageRoutes].map(({ path }) => named(path))),
  '/mcp',
  '/oauth/token',
  '/webhooks/msgapp/',
  '/nowhere',
].filter((path) => path !== '/dashboard/live/');

const maxAnswer = 512 * 1024;
const credentialOf = (path: string): string =>
  path.startsWith('/dashboard') ? cookie : `authorization: Bearer ${desk.workspace.token}`;

/** Every head goes to many places, and every place gets several heads: all pairs would be ten thousand requests. */
const spread = 4;

it('every operation and page, and heads that no client sends', async () => {
  const faults: string[] = [];
  const met = new Set<string>();
  for (const [index, path] of places.entries())
    await Promise.all(
      Array.from({ length: spread }, async (_unused, turn) => {
        const head = hostileHeads[(index * spread + turn) % hostileHeads.length];
        if (!head) throw new Error('there is no such head');
        met.add(head.name);
        // A credential of its own is the only one that it has.
        const lines = head.lines.some((line) => /^(authorization|cookie):/.test(line))
          ? head.lines
          : [credentialOf(path), ...head.lines];
        const { status, bytes } = await sendHead(desk.url, `GET ${path} HTTP/1.1`, lines);
        if (status === 0 || status >= 500 || bytes > maxAnswer) faults.push(`${head.name}: ${status} of ${path}`);
      }),
    );
  expect(faults).toEqual([]);
  expect(met.size).toBe(hostileHeads.length);
});

it('every operation and page, and every method, with a credential', async () => {
  const faults: string[] = [];
  for (const [index, path] of places.entries())
    await Promise.all(
      Array.from({ length: spread }, async (_unused, turn) => {
        const method = hostileMethods[(index * spread + turn) % hostileMethods.length] ?? 'GET';
        const { status, bytes } = await sendHead(desk.url, `${method} ${path} HTTP/1.1`, [credentialOf(path)]);
        if (status === 0 || status >= 500 || bytes > maxAnswer) faults.push(`${method}: ${status} of ${path}`);
      }),
    );
  expect(faults).toEqual([]);
});

const border = 'hostile';
const picture =
  `--${border}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n` +
  'content-type: image/png\r\n\r\nnot a picture';

it.each([
  ['a file that is not what it says', '/api/v1/media/', `multipart/form-data; boundary=${border}`, picture, 415],
  ['a body of another type', '/api/v1/media/', 'application/json', '{', 415],
  ['JSON that is too long', '/api/v1/contacts/', 'application/json', '{"name":"', 413],
  ['a form that is too long', '/api/v1/contacts/', 'application/x-www-form-urlencoded', 'name=', 413],
])('%s has its answer, and its end, while it still comes', async (_name, path, type, begin, wanted) => {
  const lines = [credentialOf(path), `content-type: ${type}`, `content-length: ${90 * 1024 * 1024}`];
  const answer = await sendHead(desk.url, `POST ${path} HTTP/1.1`, lines, (socket) => {
    socket.write(begin);
    pouring(socket);
  });
  expect(answer.status).toBe(wanted);
});
