/*
 * The tour of README.md and docs/tour.md as a reader pastes it, against a whole `npm start`, twice in a row.
 * UPDATE_TOUR=1 writes what the first run prints into both.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually';
import { startInstallation, type Installation } from '../support/installation';
import { root } from '../support/settings';

/** Its parts, in order: a file, and where the part stands in it. */
const parts: readonly (readonly [file: string, section: RegExp])[] = [
  [path.join(root, 'README.md'), /## A tour in five minutes\n[\s\S]*?(?=\n## )/],
  [path.join(root, 'docs', 'tour.md'), /[\s\S]*/],
];
/** A block of commands, and the block of what it prints, where there is one. */
const block = /```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g;
const mark = '=== block ===';

let desk: Installation;
beforeAll(async () => {
  desk = await startInstallation();
}, 320_000);
afterAll(() => desk?.close());

const tour = (): string =>
  parts.map(([file, section]) => section.exec(readFileSync(file, 'utf8'))?.[0] ?? '').join('\n');
const blocks = (): { commands: string; printed: string }[] =>
  [...tour().matchAll(block)].map(([, commands = '', printed = '']) => ({ commands, printed }));

/** Runs all blocks in one shell; gives what each prints. */
async function paste(): Promise<string[]> {
  const script = blocks()
    .map(({ commands }) => `${commands}\necho '${mark}'\n`)
    .join('')
    .replaceAll('./.data/dev.json', `${desk.dataDir}/dev.json`);
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: root,
    env: { ...process.env, DATA_DIR: desk.dataDir, npm_config_update_notifier: 'false' },
    timeout: 240_000,
    maxBuffer: 10_000_000,
  });
  return stdout.split(`${mark}\n`).slice(0, -1);
}

/** What does not depend on ids, times, counts and marks, and not on where lines are broken. */
function form(printed: string): string {
  return printed
    .replaceAll(desk.facts.sandbox_url, 'http://127.0.0.1:3001')
    .replace(/wamid\.[\w=+/-]+/g, 'wamid')
    .replace(/<(\/?)[a-z\d]{5}>/g, '<$1mark>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/\[[#.]+\]\s+\d+ %.*\n/g, '')
    .replace(/\d+/g, '0')
    .replace(/\s+/g, ' ')
    .trim();
}

test('the tour can be pasted as a whole and prints what it says', async () => {
  const printed = await paste();
  if (process.env['UPDATE_TOUR']) {
    const left = [...printed];
    for (const [file, section] of parts)
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(section, (part) =>
          part.replace(block, (_all, commands: string) => {
            const text = (left.shift() ?? '').trimEnd();
            return `\`\`\`sh\n${commands}\`\`\`\n${text === '' ? '' : `\n\`\`\`text\n${text}\n\`\`\`\n`}`;
          }),
        ),
      );
  }
  expect(blocks().length).toBeGreaterThan(14);
  expect(printed.map(form)).toEqual(blocks().map((one) => form(one.printed)));
});

test('a second time it prints the same', async () => {
  // The key of the tour may send 60 requests per minute, as the README says; the first run has used most of them.
  const answer = await fetch(`${desk.facts.base_url}/api/v1/phone-numbers/`, {
    headers: { authorization: `Bearer ${desk.facts.api_key}` },
  });
  const seconds = Number(answer.headers.get('ratelimit-reset'));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000 + 500));
  expect((await paste()).map(form)).toEqual(blocks().map((one) => form(one.printed)));
}, 400_000);

test('the receiver of the sandbox has the events of the demo, and its action answers a customer', async () => {
  const control = async (route: string, body?: object): Promise<Record<string, unknown>[]> => {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const reply = await fetch(`${desk.facts.sandbox_url}/_control/${route}`, init);
    const answer = (await reply.json()) as { received?: Record<string, unknown>[] };
    return answer.received ?? (answer as unknown as Record<string, unknown>[]);
  };
  const from = { phone: '4915112345678' };
  await control('inbound', { phone_number_id: '106540352242922', from, text: 'What are your opening hours?' });
  await eventually(async () => {
    expect(await control('receiver?limit=100')).toContainEqual(
      expect.objectContaining({ type: 'message.received', verified: true, actions: ['send_message'] }),
    );
    expect(JSON.stringify(await control(`sent?to=${from.phone}`))).toContain('We are open Monday to Friday');
  });
});
