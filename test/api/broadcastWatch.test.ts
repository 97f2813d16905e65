import { runCli } from '../../admin/cli';
import { createBroadcast, insertContacts, setThroughput } from '../factories/broadcasts';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

const path = '/api/v1/broadcasts/';
const clear = '\r\u001b[K';

it('says what a broadcast waits for', async () => {
  const workspace = await createWorkspace(desk);
  await insertContacts(workspace, 20, 4_917_600_000_000);
  const id = await createBroadcast(workspace);
  desk.sandbox.faults.add({ kind: 'error', code: 131016, status: 503 });
  expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);
  let shown = '';
  const watching = watch(id, { terminal: true, heard: (text) => (shown = text) });
  await eventually(() =>
    expect(shown).toMatch(/ 0\.0\/s {2}Paused for \d+ s, until \S+: the platform returns errors \(131016\)/),
  );
  desk.sandbox.faults.clear();
  expect((await watching).code).toBe(0);
  expect(shown).toMatch(/20\/20 {2}sent 20 .*completed/);
});

it('predicts nothing from calls whose outcome is unknown', async () => {
  const workspace = await createWorkspace(desk);
  await insertContacts(workspace, 400, 4_917_700_000_000);
  const id = await createBroadcast(workspace);
  desk.sandbox.faults.add({ kind: 'html' });
  expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);
  let shown = '';
  const watching = watch(id, { terminal: true, heard: (text) => (shown = text) });
  await eventually(() => expect(shown).toMatch(/unknown [1-9]\d* {2}0\.0\/s {2}Paused for \d+ s, until /));
  expect(shown).not.toMatch(/ left/);
  desk.sandbox.faults.clear();
  expect((await watching).code).toBe(0);
  expect(shown).toMatch(/completed/);
});

async function watch(
  id: number,
  options: { readonly terminal?: boolean; readonly json?: boolean; readonly heard?: (text: string) => unknown } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  const argv = ['broadcast', 'watch', String(id), ...(options.json ? ['--json'] : [])];
  const code = await runCli(argv, {
    env: { ...desk.test.env },
    stdout: (text) => void (stdout += text),
    stderr: (text) => {
      stderr += text;
      options.heard?.(stderr);
    },
    terminal: options.terminal ?? false,
  });
  return { code, stdout, stderr };
}

it('draws a bar on a terminal until it has ended, prints lines elsewhere, and one object with --json', async () => {
  const recipients = 90;
  await setThroughput(desk.workspace, 20);
  await insertContacts(desk.workspace, recipients, 4_917_000_000_000);
  const id = await createBroadcast(desk.workspace);
  expect((await desk.api.post(`${path}${id}/confirm/`)).status).toBe(200);
  const [drawn, lines, object] = await Promise.all([
    watch(id, { terminal: true }),
    watch(id),
    watch(id, { terminal: true, json: true }),
  ]);

  expect(drawn.code).toBe(0);
  const frames = drawn.stderr.split(clear).slice(1);
  expect(drawn.stderr.startsWith(clear)).toBe(true);
  expect(frames.length).toBeGreaterThan(3);
  const bar = /^\[(#*)(\.*)\] (\d+) % +(\d+)\/(\d+) +sent \d+ +delivered \d+ +failed 0 +skipped 0 +unknown 0 {2}(.*)$/s;
  const read = frames.flatMap((frame) => {
    const [, done = '', left = '', percent, settled, audience, pace = ''] = bar.exec(frame) ?? [];
    expect([frame, audience !== undefined]).toEqual([frame, true]);
    // The audience is there once it has been resolved.
    if (Number(audience) === 0) return [];
    expect([done.length + left.length, Number(audience)]).toEqual([30, recipients]);
    expect([done.length, Number(percent)]).toEqual([
      Math.floor((Number(settled) / recipients) * 30),
      Math.floor((Number(settled) / recipients) * 100),
    ]);
    return [{ settled: Number(settled), pace }];
  });
  expect(read.map(({ settled }) => settled)).toEqual(
    read.map(({ settled }) => settled).sort((left, right) => left - right),
  );
  // What is left, at the pace shown, is the time shown.
  const paced = read.filter(({ pace }) => pace.endsWith('left'));
  expect(paced.length).toBeGreaterThan(0);
  for (const { settled, pace } of paced) {
    const [, rate, seconds] = /^(\d+\.\d)\/s {2}(\d+) s left$/.exec(pace) ?? [];
    expect([pace, Number(rate) > 0 && Number(rate) <= 60]).toEqual([pace, true]);
    // The pace is told to a tenth, the time to a second.
    const left = recipients - settled;
    expect(Number(seconds)).toBeGreaterThanOrEqual(left / (Number(rate) + 0.05) - 1);
    expect(Number(seconds)).toBeLessThanOrEqual(left / (Number(rate) - 0.05) + 1);
  }
  expect(frames.at(-1)).toMatch(/^\[#{30}\] 100 % {2}90\/90 {2}sent 90 .* {2}completed\n$/);
  expect(drawn.stdout).toMatch(/^id +\d+\n.*status +completed\n.*sent +90\n/s);

  expect(lines.stderr).not.toContain('\r');
  expect(lines.stderr.trimEnd().split('\n').at(-1)).toMatch(/ 100 % .* completed$/);

  expect([object.code, object.stderr]).toEqual([0, '']);
  expect(JSON.parse(object.stdout)).toMatchObject({
    id,
    workspace_id: desk.workspace.id,
    status: 'completed',
    failure_reason: '',
    audience: recipients,
    pending: 0,
    sent: recipients,
    failed: 0,
    skipped: 0,
    unknown: 0,
    skipped_by_reason: {},
    failed_by_code: {},
  });
  expect(object.stdout.trimEnd().split('\n')).toHaveLength(1);
});

it('says when a scheduled one is due and why one has failed, and ends at once for a draft or unknown id', async () => {
  const draft = await createBroadcast(desk.workspace);
  expect(await watch(draft)).toMatchObject({ code: 0, stderr: `Broadcast ${draft} is a draft\n` });
  expect(JSON.parse((await watch(draft, { json: true })).stdout)).toMatchObject({
    id: draft,
    status: 'draft',
    audience: 0,
  });

  const scheduled = await createBroadcast(desk.workspace);
  await desk.api.post(`${path}${scheduled}/confirm/`, { scheduled_at: '2031-01-01T00:00:00Z' });
  let said = '';
  const waiting = watch(scheduled, { terminal: true, heard: (text) => (said = text) });
  await eventually(() => expect(said).toContain('is scheduled for'));
  expect((await desk.api.post(`${path}${scheduled}/unschedule/`)).status).toBe(200);
  expect((await waiting).stderr).toMatch(
    new RegExp(
      `^(\\r\u001b\\[KBroadcast ${scheduled} is scheduled for 2031-01-01T00:00:00.000Z)+\\r\u001b\\[KBroadcast ` +
        `${scheduled} is a draft\\n$`,
    ),
  );

  const refused = await createBroadcast(desk.workspace);
  await desk.runtime.db.rows(
    `UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id AND name = 'ticket_update'`,
    { id: desk.workspace.id },
  );
  expect((await desk.api.post(`${path}${refused}/confirm/`)).status).toBe(200);
  const failed = await watch(refused, { json: true });
  const {
    status,
    failure_reason: reason,
    pending,
  } = JSON.parse(failed.stdout) as { status: string; failure_reason: string; pending: number };
  expect([failed.code, status, pending]).toEqual([0, 'failed', 90]);
  expect(reason).toContain('PAUSED');
  expect((await watch(refused)).stderr).toBe(
    `[${'.'.repeat(30)}] 0 %  0/90  sent 0  delivered 0  failed 0  skipped 0  unknown 0  failed: ${reason}\n`,
  );

  expect(await watch(2_000_000_000)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Broadcast 2000000000 does not exist.') as unknown,
  });
  expect((await watch(0)).code).toBe(1);
});
