import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../lib/launcher';
import { faultsFolder } from './files';

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

/** Tells a failure when it happens: jest's own reporter waits for the end of the file, which may be a lane. */
export default class FailureReporter {
  onTestCaseResult({ path: suite }: { readonly path: string }, test: TestCase): void {
    if (test.status !== 'failed') return;
    const where = fileOf(suite, test.ancestorTitles);
    process.stderr.write(
      `FAIL ${where}: ${test.title}\n      ${excerptOf(test.failureMessages)}\n  again: ${commandFor(suite, test)}\n`,
    );
  }
}
