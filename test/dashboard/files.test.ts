import { scopeDescriptions } from '../../api/core/http/access';
import { fetchDueFiles } from '../../api/services/processes/files/fetch';
import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { fileRoutes } from '../support/pages';

/* What the dashboard passes on that is no page: who gets it, whose it is, and that a browser runs nothing of it. */

interface File {
  readonly path: string;
  /** The permission that it takes; null: every member listens. */
  readonly scope: 'broadcast.manage' | 'contact.view' | 'chat.view' | 'report.view' | 'workspace.manage' | null;
  readonly type: RegExp;
  readonly disposition: RegExp | null;
  readonly body: RegExp;
  /** What a member of another workspace is answered. */
  readonly elsewhere: { readonly status: number; readonly body: RegExp };
}

let desk: TestApi;
let files: Readonly<Record<string, File>>;
const hostile = `<script>alert(1)</script>`;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const anna = createCustomer(desk.workspace, { name: `Anna ${hostile}` });
  await anna.writes({ type: 'document' });
  await fetchDueFiles(desk.runtime);
  await createContact(desk.workspace, { name: '=cmd()', company: hostile });
  const messages = await desk.api.get(`/api/v1/conversations/${anna.handle}/messages/`);
  const message = messages.body.results[0]?.id ?? 0;
  files = {
    '/dashboard/contacts/export/': {
      path: '/dashboard/contacts/export/',
      scope: 'contact.view',
      type: /^text\/csv/,
      disposition: /^attachment; filename="contacts-/,
      body: /,"'=cmd\(\)"[^]*<script>/,
      elsewhere: { status: 200, body: /^\uFEFF?phone,[^\n]*\r\n$/ },
    },
    '/dashboard/audit-log/members/export/': {
      path: '/dashboard/audit-log/members/export/?action=auditLog.export',
      scope: 'workspace.manage',
      type: /^text\/csv/,
      disposition: /^attachment; filename="audit-log-/,
      body: /^\uFEFF?created_at,action,[^\n]*\r\n[^\n]*,auditLog.export,member,/,
      elsewhere: { status: 200, body: /^\uFEFF?created_at,action,[^\n]*\r\n/ },
    },
    '/dashboard/reports/export/': {
      path: '/dashboard/reports/export/',
      scope: 'report.view',
      type: /^text\/csv/,
      disposition: /^attachment; filename="conversations-/,
      body: new RegExp(`^\uFEFF?contact,began,[^\n]*\r\n${anna.handle},`),
      elsewhere: { status: 200, body: /^\uFEFF?contact,began,[^\n]*\r\n$/ },
    },
    '/dashboard/broadcasts/:id/failures/': {
      path: `/dashboard/broadcasts/${await failedBroadcast(desk)}/failures/`,
      scope: 'broadcast.manage',
      type: /^text\/csv/,
      disposition: /^attachment; filename="broadcast-\d+-failures-/,
      body: /^\uFEFF?contact,name,[^\n]*\r\n\d+,[^\n]*,131026,"?The customer cannot receive it/,
      elsewhere: { status: 404, body: /Page not found|not found/i },
    },
    '/dashboard/inbox/:receiver/export/': {
      path: `/dashboard/inbox/${anna.handle}/export/?as=html`,
      scope: 'chat.view',
      type: /^text\/html/,
      disposition: /^attachment; filename="conversation-\d+-/,
      body: /<h1>Anna &lt;script&gt;/,
      elsewhere: { status: 404, body: /Page not found|not found/i },
    },
    '/dashboard/inbox/:receiver/media/:id/': {
      path: `/dashboard/inbox/${anna.handle}/media/${message}/`,
      scope: 'chat.view',
      type: /^application\//,
      disposition: /^attachment/,
      body: /./,
      elsewhere: { status: 404, body: /Page not found|not found/i },
    },
    '/dashboard/live/': {
      path: '/dashboard/live/',
      scope: null,
      type: /^text\/event-stream/,
      disposition: null,
      body: /^retry: /,
      elsewhere: { status: 200, body: /^retry: / },
    },
  };
});
afterAll(() => desk.close());

/** Makes a broadcast that failed to reach everybody; gives its id. */
async function failedBroadcast({ workspace, runtime }: TestApi): Promise<number> {
  const id = await createBroadcast(workspace);
  await runtime.db.rows(
    `INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state, error_code)
     SELECT $id, row_number() OVER (ORDER BY id), workspace_id, id, 'failed', 131026
     FROM contacts WHERE workspace_id = $workspaceId`,
    { id, workspaceId: workspace.id },
  );
  return id;
}

async function tokenOf(workspace = desk.workspace, options: Parameters<typeof createMember>[1] = { role: 'admin' }) {
  return (await createSession(await createMember(workspace, options))).token;
}

/** Asks as the member of a session, and reads what comes first: a stream has no end. */
async function ask(path: string, token?: string): Promise<{ status: number; headers: Headers; body: string }> {
  const stop = new AbortController();
  const answer = await fetch(desk.url + path, {
    redirect: 'manual',
    signal: stop.signal,
    headers: token === undefined ? {} : { cookie: `token=${token}` },
  });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const first = isStream ? await answer.body?.getReader().read() : null;
  const body = first ? Buffer.from((first.value ?? []) as Uint8Array).toString('utf8') : await answer.text();
  stop.abort();
  return { status: answer.status, headers: answer.headers, body };
}

test('every file and stream is looked at here', () => {
  expect(Object.keys(files).sort()).toEqual([...fileRoutes].sort());
});

test.each(fileRoutes)('%s goes to members who may have it, as a file that nothing runs', async (route) => {
  const { path, type, disposition, body } = files[route] as File;
  const { status, headers, body: text } = await ask(path, await tokenOf());
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(type)]);
  expect(text).toMatch(body);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toMatch(/no-store|private/);
  if (disposition) expect(headers.get('content-disposition')).toMatch(disposition);
});

test.each(fileRoutes)(
  '%s is closed to strangers, other workspaces and members without the permission',
  async (route) => {
    const { path, scope, elsewhere } = files[route] as File;
    const stranger = await ask(path);
    expect([stranger.status, stranger.headers.get('location')]).toEqual([303, expect.stringMatching(/sign-in/)]);
    expect(await ask(path, 'nonsense')).toMatchObject({ status: 303 });

    const other = await ask(path, await tokenOf(await createWorkspace(desk)));
    expect([other.status, other.body]).toEqual([elsewhere.status, expect.stringMatching(elsewhere.body)]);

    if (scope === null) return;
    const without = scope === 'chat.view' ? 'contact.view' : 'chat.view';
    const refused = await ask(path, await tokenOf(desk.workspace, { permissions: [without] }));
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.stringContaining(scopeDescriptions[scope].replace(/\.$/, '')),
    ]);
  },
);

test('an export that cannot be read is a page that says why, not half a file', async () => {
  const { status, headers } = await ask('/dashboard/contacts/export/?conv_status=nonsense', await tokenOf());
  expect([status, headers.get('content-type')]).toEqual([400, expect.stringMatching(/^text\/html/)]);
});
