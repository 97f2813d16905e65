import { sendMail } from '../../api/services/identity/members/mailing';
import { syncAllDue, syncRequested } from '../../api/services/processes/upstreamSync/service';
import { createMember } from '../factories/members';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { startMail, type MailServer } from '../support/mail';

/* What is done for one workspace after the other: none waits for another one's platform, or behind its many. */

let desk: TestApi;
let mail: MailServer;
beforeAll(async () => {
  // Others wait a moment for an account whose platform is silent, not 20 s.
  mail = await startMail();
  desk = await sharedDesk('plain', { timing: { syncTurnMs: 200 }, env: { SMTP_URL: mail.url } });
});
afterAll(async () => {
  await desk.close();
  await mail.close();
});

const rows = (sql: string, bind: Record<string, unknown>): Promise<object[]> => desk.runtime.db.rows(sql, bind);

it.each([
  ['asked for', () => syncRequested(desk.runtime)],
  ['due', () => syncAllDue(desk.runtime)],
])('an account that is %s is read although the platform is silent for many others', async (_what, sync) => {
  const silent = [];
  for (let count = 0; count < 9; count += 1) silent.push(await createWorkspace(desk));
  const last = await createWorkspace(desk);
  for (const { account } of silent)
    desk.sandbox.faults.add({ kind: 'latency', delay_ms: 60_000, path: account.businessAccountId });
  await rows(
    `UPDATE business_accounts SET read_at = NULL, resync_at = now() - interval '1 hour',
       synced_at = now() - interval '1 hour' - (CASE WHEN workspace_id = $last THEN 0 ELSE 1 END) * interval '1 hour'
     WHERE workspace_id BETWEEN $first AND $last`,
    { first: silent[0]?.id, last: last.id },
  );
  while ((await sync()) > 0);
  await eventually(async () => {
    const read = await rows('SELECT FROM business_accounts WHERE workspace_id = $last AND read_at IS NOT NULL', {
      last: last.id,
    });
    expect(read).toHaveLength(1);
  });
  desk.sandbox.faults.clear();
});

it('the mail of a workspace does not wait behind the many of another one', async () => {
  // Which workspace is next is chance: with many others, a few tries would not be enough.
  await leaveNothingTo(desk, 'sendMail');
  const [many, one] = [await createWorkspace(desk), await createWorkspace(desk)];
  const member = await createMember(one);
  await rows(
    `WITH busy AS (
       INSERT INTO members SELECT (jsonb_populate_record(m, jsonb_build_object(
         'id', nextval(pg_get_serial_sequence('members', 'id')), 'email', n || m.email))).*
       FROM members m, generate_series(1, 120) n
       WHERE m.id = (SELECT min(id) FROM members WHERE workspace_id = $id)
       RETURNING id)
     INSERT INTO mails (member_id, kind, created_at, expires_at)
     SELECT id, 'factorAdded', now() - interval '1 hour', now() + interval '1 hour' FROM busy`,
    { id: many.id },
  );
  await rows(`INSERT INTO mails (member_id, kind, expires_at) VALUES ($id, 'factorAdded', now() + interval '1 hour')`, {
    id: member.id,
  });
  const isSent = (): boolean => mail.mails.some(({ to }) => to === member.email);
  for (let count = 0; count < 60 && !isSent(); count += 1) await sendMail(desk.runtime);
  expect(isSent()).toBe(true);
});
