import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

// The compiled copy of this file lies one folder deeper.
const root = path.join(__dirname, ...(__dirname.split(path.sep).includes('dist') ? ['..'] : []), '..', '..', '..');

/** Returns a page of the repository's `docs` folder. */
export function readPage(name: string): string {
  return readFileSync(path.join(root, 'docs', name), 'utf8');
}

/** The version of this package. */
export const version: string = (
  JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string }
).version;

const answersFile = path.join(root, 'docs', 'api-answers.json');
let answers: Readonly<Record<string, unknown>> | undefined;

/** Returns real answers of a fresh demo workspace by operation, for the reference; a test keeps them true. */
export function readAnswers(): Readonly<Record<string, unknown>> {
  answers ??= existsSync(answersFile)
    ? (JSON.parse(readFileSync(answersFile, 'utf8')) as Readonly<Record<string, unknown>>)
    : {};
  return answers;
}
