import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../lib/launcher';
import { costTable } from './costs';
import { faultsFolder } from './files';
import { keepSeconds } from './seconds';

/** A test of jest's, as its reporters and its report have it. */
export interface TestCase {
  readonly status: string;
  readonly fullName: string;
  readonly title: string;
  readonly ancestorTitles: readonly string[];
  readonly failureMessages: readonly string[];
}

/** Returns the file that a test is written in: in a lane its first title, else the file that jest runs. */
export function fileOf(suite: string, [first = '']: readonly string[]): string {
  const file = /\.test\.ts$/.test(first) ? path.join(root, 'test', first) : suite;
  return path.relative(root, file).replaceAll('\\', '/');
}

/** Returns the command that runs one test alone, for a shell. */
export function commandFor(suite: string, { ancestorTitles, title }: TestCase): string {
  const file = fileOf(suite, ancestorTitles);
  const script = file.startsWith(faultsFolder) ? 'npm run test:faults' : 'npm test';
  const titles = [...ancestorTitles.filter((name) => !/\.test\.ts$/.test(name)), title].join(' ');
  const pattern = titles.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll("'", "'\\''");
  return `${script} -- ${file.replace(/\.test\.ts$/, '')} -t '${pattern}$'`;
}

/** Returns the beginning of why a test failed, without the colours of a terminal and without empty lines. */
export function excerptOf(messages: readonly string[]): string {
  const lines = stripVTControlCharacters(messages.join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return lines.slice(0, 14).join('\n      ').slice(0, 1_200);
}

/** So many files are named at the end of a run that has more. */
const named = 20;

/**
 * Tells a failure when it happens: jest's own reporter waits for the end of the file, which may be a lane. At the end
 * it says which files took longest, and with TEST_COSTS=1 what took the processors; UPDATE_SECONDS=1 keeps what all of
 * them took.
 */
export default class FailureReporter {
  /** When something of a file that jest runs was last told. */
  private readonly toldAt = new Map<string, number>();
  private readonly seconds = new Map<string, number>();

  onTestFileStart({ path: suite }: { readonly path: string }): void {
    this.toldAt.set(suite, Date.now());
  }

  onTestCaseResult({ path: suite }: { readonly path: string }, test: TestCase): void {
    const where = fileOf(suite, test.ancestorTitles);
    // With what was prepared for it.
    this.seconds.set(where, (this.seconds.get(where) ?? 0) + this.secondsSince(suite));
    if (test.status !== 'failed') return;
    process.stderr.write(
      `FAIL ${where}: ${test.title}\n      ${excerptOf(test.failureMessages)}\n  again: ${commandFor(suite, test)}\n`,
    );
  }

  onRunComplete(): void {
    process.stderr.write(costTable(process.env['TEST_TMP'] ?? ''));
    if (this.seconds.size <= named) return;
    const longest = [...this.seconds].sort(([, left], [, right]) => right - left).slice(0, named);
    const lines = longest.map(([file, seconds]) => `  ${seconds.toFixed(0).padStart(4)} s ${file}`);
    process.stderr.write(`\nThe longest files:\n${lines.join('\n')}\n`);
    if (process.env['UPDATE_SECONDS'] === '1') keepSeconds(this.seconds);
  }

  private secondsSince(suite: string): number {
    const now = Date.now();
    const before = this.toldAt.get(suite) ?? now;
    this.toldAt.set(suite, now);
    return (now - before) / 1_000;
  }
}
