import './virtualTime';
import './mutate';
import './stand-ins';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { SimulatedServer } from './database';
import { real } from './realTime';
import { runSeed, type Outcome } from './run';
import { fillTown, type Town } from './town';
import { themeNames, type ThemeName } from './themes';
import { chosenMutants, tryMutants } from './tryMutants';

const options = {
  seed: { type: 'string' },
  for: { type: 'string' },
  trace: { type: 'boolean' },
  twice: { type: 'boolean' },
  draw: { type: 'string' },
  mutants: { type: 'string' },
  mutant: { type: 'string' },
  only: { type: 'string' },
  theme: { type: 'string' },
  keep: { type: 'string' },
  boundaries: { type: 'string' },
  beside: { type: 'string' },
} as const;

/** Reads `60s`, `5m` or a number of seconds. */
function secondsOf(text: string): number {
  const [, number = '', unit = 's'] = /^(\d+)(s|m)?$/.exec(text) ?? [];
  if (number === '') throw new Error(`"${text}" is no time: write 60s or 5m`);
  return Number(number) * (unit === 'm' ? 60 : 1);
}

/** Returns the first seed that a commit's hash stands for: each commit tries others. */
function drawn(hash: string | undefined): number {
  return hash === undefined ? 1 : 1 + (Number.parseInt(hash.slice(0, 6), 16) || 0);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Returns the theme that was asked for; null for none. */
function themeOf(name: string | undefined): ThemeName | null {
  if (name === undefined) return null;
  const found = themeNames.find((known) => known === name);
  if (found === undefined) throw new Error(`there is no theme "${name}": ${themeNames.join(', ')}`);
  return found;
}

async function inCopy(
  server: SimulatedServer,
  town: Town,
  seed: number,
  { theme, printsTrace }: { readonly theme: ThemeName | null; readonly printsTrace: boolean },
): Promise<Outcome> {
  const name = `run_${process.pid}_${seed}`;
  const url = await server.copy(name);
  try {
    return await runSeed(seed, url, town, { printsTrace, theme, setClock: (ms) => server.setClock(ms) });
  } finally {
    await server.drop(name);
  }
}

/** How many of a trace's last lines a failure prints. */
const printedLines = 60;

function report({ seed, theme, violations, lines, digest }: Outcome, isTraced: boolean): void {
  say(`FAIL seed ${seed} (trace ${digest})`);
  for (const violation of violations.slice(0, 10)) say(`  ${violation}`);
  if (!isTraced) for (const line of lines.slice(-printedLines)) say(`    ${line}`);
  say(`  again: npm run simulate -- --seed ${seed} --theme ${theme} --trace`);
}

/** Writes a trace into the folder that was asked for. */
function keepTrace(folder: string | undefined, { seed, theme, lines, digest }: Outcome): void {
  if (folder !== undefined) writeFileSync(path.join(folder, `${theme}-${seed}-${digest}.trace`), lines.join('\n'));
}

/** Returns the arguments, where a bare `--mutants` means all of them. */
function givenArguments(): ReturnType<typeof parseArgs<{ options: typeof options }>>['values'] {
  const args = process.argv.slice(2);
  const place = args.indexOf('--mutants');
  if (place >= 0 && !/^\d+$/.test(args[place + 1] ?? '')) args.splice(place + 1, 0, 'all');
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    say(
      `It takes ${Object.keys(options)
        .map((name) => `--${name}`)
        .join(', ')}: see test/simulation/README.md`,
    );
    return process.exit(2);
  }
}

type Given = ReturnType<typeof givenArguments>;

/** What was done, for the last lines. */
interface Total {
  seeds: number;
  failed: number;
  boundaries: number;
  interleavings: number;
  statements: number;
  simulatedMs: number;
}

/** Runs seeds until the time is over. */
async function runSeeds(server: SimulatedServer, town: Town, values: Given): Promise<Total> {
  const theme = themeOf(values.theme);
  const first = Number(values.seed ?? drawn(values.draw));
  const untilMs = real.now() + secondsOf(values.for ?? (values.seed === undefined ? '60s' : '0s')) * 1_000;
  const total = { seeds: 0, failed: 0, boundaries: 0, interleavings: 0, statements: 0, simulatedMs: 0 };
  const maxBoundaries = Number(values.boundaries ?? Infinity);
  const goesOn = (): boolean => real.now() < untilMs && total.boundaries < maxBoundaries;
  for (let seed = first; total.seeds === 0 || goesOn(); seed += 1) {
    const outcome = await inCopy(server, town, seed, { theme, printsTrace: values.trace === true });
    total.seeds += 1;
    total.boundaries += outcome.boundaries;
    total.interleavings += outcome.interleavings;
    total.statements += outcome.statements;
    total.simulatedMs += outcome.simulatedMs;
    if (values.twice) {
      const again = await inCopy(server, town, seed, { theme, printsTrace: values.trace === true });
      if (again.digest !== outcome.digest) {
        total.failed += 1;
        say(`FAIL seed ${seed} (${outcome.theme}) does not repeat: ${outcome.digest} and ${again.digest}`);
        for (const one of [outcome, again]) keepTrace(values.keep, one);
      }
    }
    if (outcome.violations.length === 0) continue;
    total.failed += 1;
    report(outcome, values.trace === true);
    keepTrace(values.keep, outcome);
    // One is enough to show that a broken rule is noticed.
    if (values.mutant !== undefined) break;
  }
  return total;
}

async function simulate(server: SimulatedServer, values: Given): Promise<boolean> {
  let town: Town | null = null;
  if (values.beside === undefined) {
    await server.prepare(async (url) => {
      town = await fillTown(url);
    });
    server.keepTown(JSON.stringify(town));
  } else town = JSON.parse(server.keptTown()) as Town;
  if (!town) throw new Error('the town is empty');
  const began = real.now();

  if (values.mutants !== undefined) {
    const chosen = chosenMutants(Number(values.mutants), values.draw ?? '', values.only ?? '');
    const lived = await tryMutants(chosen, server.address(), say);
    say(`${chosen.length} mutants, ${chosen.length - lived} found in ${((real.now() - began) / 1_000).toFixed(0)} s`);
    say(`${chosen.length - lived} passed, ${lived} failed`);
    return lived === 0;
  }
  const total = await runSeeds(server, town, values);
  const seconds = (real.now() - began) / 1_000;
  say(
    `${total.seeds} seeds, ${total.boundaries} boundaries (${Math.round(total.boundaries / seconds)}/s), ` +
      `${total.interleavings} interleavings, ${total.statements} statements, ` +
      `${(total.simulatedMs / 3_600_000).toFixed(1)} simulated hours in ${seconds.toFixed(1)} s`,
  );
  say(`${total.seeds - total.failed} passed, ${total.failed} failed`);
  return total.failed === 0;
}

async function main(): Promise<void> {
  const values = givenArguments();
  const server = values.beside === undefined ? await SimulatedServer.start() : SimulatedServer.beside(values.beside);
  let isGood = false;
  try {
    isGood = await simulate(server, values);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
  await server.stop();
  process.exit(isGood ? 0 : 1);
}

void main();
