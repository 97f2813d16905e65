import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mutants, type Mutant } from './mutants';
import { mutated } from './mutate';
import { real } from './realTime';

/** How long a mutant may live: one that is found once in 20,000 boundaries lives so long once in 150 trials. */
const maxBoundaries = 100_000;
/** By then even a busy machine has tried so many. */
const limitSeconds = 1_200;

type Say = (line: string) => void;

/**
 * Returns the mutants to try: all, or those whose name contains one of some texts (with commas between them), or some
 * that follow from a commit's hash, drawn from those that have been found.
 */
export function chosenMutants(count: number, hash: string, only: string): readonly Mutant[] {
  const named = mutants.filter(({ name }) => only.split(',').some((part) => name.includes(part)));
  if (!Number.isFinite(count)) return named;
  const rank = ({ name }: Mutant): string => createHash('sha256').update(`${hash}/${name}`).digest('hex');
  return named
    .filter(({ isFound }) => isFound)
    .sort((left, right) => (rank(left) < rank(right) ? -1 : 1))
    .slice(0, count);
}

/** Tries mutants one after the other, each in a program of its own; returns how many lived. */
export async function tryMutants(chosen: readonly Mutant[], place: string, say: Say): Promise<number> {
  let lived = 0;
  // All at first: a rule that moved is told at once.
  for (const mutant of chosen) mutated(mutant);
  say('| mutant | seconds | boundaries | found by |');
  say('| --- | ---: | ---: | --- |');
  for (const mutant of chosen) {
    const began = real.now();
    const { found, boundaries } = await tryOne(mutant, place);
    const seconds = ((real.now() - began) / 1_000).toFixed(0);
    if (found === null) lived += 1;
    say(`| ${mutant.name} | ${seconds} | ${boundaries} | ${found ?? `LIVES: ${mutant.rule}`} |`);
  }
  return lived;
}

/** What became of a mutant. */
interface Tried {
  /** By what it was found; null where it lives. */
  readonly found: string | null;
  /** How many boundaries that took: seconds depend on the machine. */
  readonly boundaries: string;
}

/** Tries one; what breaks an invariant without the mutant as well shows nothing of it. */
async function tryOne(mutant: Mutant, place: string): Promise<Tried> {
  const output = await simulated([
    ...['--mutant', mutant.name, '--beside', place, '--for', `${limitSeconds}s`],
    ...['--boundaries', String(maxBoundaries)],
    ...(mutant.theme === undefined ? [] : ['--theme', mutant.theme]),
    ...(mutant.seed === undefined ? [] : ['--seed', String(mutant.seed)]),
  ]);
  const [, boundaries = ''] = /, (\d+) boundaries/.exec(output) ?? [];
  const [, violation] = failure.exec(output) ?? [];
  const [, seed, theme] = /again: npm run simulate -- --seed (\d+) --theme (\w+)/.exec(output) ?? [];
  if (violation === undefined || seed === undefined || theme === undefined) return { found: null, boundaries };
  const without = await simulated(['--beside', place, '--seed', seed, '--theme', theme]);
  const [, anyway] = failure.exec(without) ?? [];
  return anyway === undefined
    ? { found: violation, boundaries }
    : { found: null, boundaries: `${boundaries} (${theme} ${seed} fails without it: ${anyway})` };
}

const failure = /^FAIL seed[^\n]*\n {2}([^\n]*)/m;

/** Runs the simulation in a program of its own, and returns what it printed. */
function simulated(args: readonly string[]): Promise<string> {
  const [, script = ''] = process.argv;
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const limit = real.setTimeout(() => child.kill('SIGKILL'), 2 * limitSeconds * 1_000);
  return new Promise((resolve) => {
    child.once('exit', () => {
      real.clearTimeout(limit);
      resolve(output);
    });
  });
}
