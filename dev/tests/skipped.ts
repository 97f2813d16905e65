import fs from 'node:fs';
import path from 'node:path';
import { root } from '../lib/launcher';
import { onPath, run } from '../lib/processes';

/** An entry of test/skipped.json: tests that may be skipped where one of these commands does not succeed. */
export interface Excuse {
  readonly tests: readonly string[];
  readonly reason: string;
  readonly without: readonly (readonly string[])[];
  /** True: also in CI, whose machine may not have the right. */
  readonly alsoInCi?: boolean;
}

/** A test that was skipped. */
interface Skipped {
  readonly file: string;
  readonly name: string;
}

/** Returns the list of what may be skipped. */
export function readExcuses(): readonly Excuse[] {
  return JSON.parse(fs.readFileSync(path.join(root, 'test', 'skipped.json'), 'utf8')) as Excuse[];
}

/** Returns a line for each skipped test that the list does not excuse on this machine; `isStrict`: it is CI's. */
export async function unexcused(
  skipped: readonly Skipped[],
  excuses: readonly Excuse[],
  isStrict: boolean,
): Promise<string[]> {
  const lines: string[] = [];
  const answers = new Map<string, Promise<boolean>>();
  const works = ([program = '', ...args]: readonly string[]): Promise<boolean> => {
    const key = [program, ...args].join(' ');
    const file = onPath(program);
    const asked =
      answers.get(key) ??
      (file ? run(file, args, { limitMs: 60_000 }).then(({ code }) => code === 0) : Promise.resolve(false));
    answers.set(key, asked);
    return asked;
  };
  for (const { file, name } of skipped) {
    const excuse = excuses.find(({ tests }) => tests.includes(file));
    const here = await Promise.all((excuse?.without ?? []).map(works));
    if (!excuse) lines.push(`${file}: ${name}\n    is skipped, and not on the list test/skipped.json`);
    else if (here.every(Boolean))
      lines.push(`${file}: ${name}\n    is skipped, though this machine has what it needs (test/skipped.json)`);
    else if (isStrict && !excuse.alsoInCi) lines.push(`${file}: ${name}\n    is skipped, and required here`);
  }
  return lines;
}
