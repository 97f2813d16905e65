import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { endOf, startChild, type Child } from '../lib/children';
import { createCleanup, type Cleanup } from '../lib/cleanup';
import { readJson } from '../lib/files';
import { printError, root, simulationScript, type Launcher, type Log } from '../lib/launcher';
import { until } from '../lib/processes';
import { startThrowawayStack, type Stack } from '../lib/stack';
import { provideTimeSkippingServer, type SkippingServer } from '../timeSkipping/provide';
import { provideTopology, type TopologyParts } from '../topology/provide';

const limitMinutes = Number(process.env['TEST_TIME_LIMIT_MINUTES'] || 60);
const limitMs = limitMinutes * 60_000;
/** Settings of a stack of one's own, meant for `npm start`: the tests must not write to it. */
const foreign = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'MSGAPP_API_URL',
  'SECRETS_KEY',
  'VAPID_PRIVATE_KEY',
  'BASE_URL',
  'PORT',
];

/** What is slow by nature: processes killed, servers taken away, other languages' tools. */
const faultsFolder = 'test/faults';
/** Files that run many others, for the whole gate. */
const lanesFolder = 'test/lanes';
const faultsFlag = '--faults';

/** What `npm run lint` looks at for who imports whom. */
const sourceFolders = ['api', 'models', 'workflows', 'activities', 'worker', 'admin', 'dev'];

/** Boundaries of the simulation that a gate tries: a minute of it, where nothing else runs. */
const simulated = '50000';

/** One file of jest's report. */
interface Suite {
  readonly status: string;
  readonly name: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

/** The part of jest's report that is added up. */
interface Report {
  readonly success: boolean;
  readonly testResults: readonly Suite[];
}

/** One run of the suite: what it counts, and what it must undo. */
class Run {
  passed = 0;
  failed = 0;
  skipped = 0;

  constructor(
    private readonly log: Log,
    private readonly cleanup: Cleanup,
  ) {}

  async all(given: readonly string[]): Promise<void> {
    const ofFaults = given.includes(faultsFlag);
    const args = given.filter((arg) => arg !== faultsFlag);
    // Once in `.ci/run`: what is slow by nature runs after the gate.
    const checked = ofFaults ? undefined : this.checkSources(given.length === 0);
    const [stack, skipping] = await Promise.all([this.startStack(), provideTimeSkippingServer(this.log)]);
    if ('skipped' in skipping) {
      this.log(`Time skipping: the tests that need it are skipped: ${skipping.skipped}`);
      if (process.env['CI'] === 'true' || process.env['REQUIRE_TIME_SKIPPING'] === '1')
        this.record('time-skipping server', '  it is required here');
    }
    const topology = await provideTopology(this.log, process.env['REQUIRE_TOPOLOGY'] === '1');
    for (const part of Object.values(topology) as TopologyParts['pooler'][]) {
      if (!('skipped' in part)) continue;
      this.log(`Topology: the tests that need it are skipped: ${part.skipped}`);
      if (process.env['REQUIRE_TOPOLOGY'] === '1') this.record('topology', '  it is required here');
    }
    await this.jest(stack, skipping, topology, [...args, ...projectsOf(ofFaults, args)]);
    await checked;
    if (ofFaults && args.length === 0) await this.tryMutants();
  }

  /**
   * Breaks five rules of delivery, drawn by the commit: the simulation has to notice each. What `npm run mutate`
   * changes has to be there.
   */
  private async tryMutants(): Promise<void> {
    // Where there is no git, the same five are tried each time.
    const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
    await this.check('mutants', simulationScript, ['--mutants', '5', '--draw', (stdout ?? '').trim()]);
    await this.check('npm run mutate finds its places', path.join(root, 'dev', 'mutate.cjs'), ['--check']);
  }

  private async startStack(): Promise<Stack> {
    const stack = await startThrowawayStack({ log: this.log });
    this.cleanup.add(stack.close);
    return stack;
  }

  private record(name: string, fault: string, seconds = 0): void {
    if (fault) {
      this.failed += 1;
      this.log(`FAIL ${name}\n${fault}`);
    } else {
      this.passed += 1;
      this.log(`PASS ${name}${seconds ? ` (${seconds.toFixed(1)} s)` : ''}`);
    }
  }

  /**
   * Checks, beside the tests, the types: nothing is built where tests alone have changed. In a whole run also format,
   * lint and imports, and a minute of interleavings and faults of delivery (test/simulation), always the same: a gate
   * says the same of the same code.
   */
  private async checkSources(isWhole: boolean): Promise<void> {
    // Version 7 takes a quarter of the time of 6, which other tools need.
    await this.check('types', 'typescript-7/bin/tsc', ['-p', 'tsconfig.json', '--noEmit']);
    await this.check('types of the browser', 'typescript-7/bin/tsc', ['-p', 'tsconfig.browser.json']);
    if (!isWhole) return;
    await this.check('format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']);
    await this.check('lint', 'oxlint/bin/oxlint', []);
    await this.check('imports', 'dependency-cruiser/bin/dependency-cruise.mjs', sourceFolders);
    await this.check('simulation', simulationScript, ['--seed', '1', '--for', '30m', '--boundaries', simulated]);
  }

  private async check(name: string, script: string, args: readonly string[]): Promise<void> {
    const began = Date.now();
    const { tool, ended } = this.tool(name, script, args);
    await ended;
    this.record(name, tool.code === 0 ? '' : `  it ended with ${endOf(tool)}`, (Date.now() - began) / 1_000);
  }

  /** Starts one of the tools as a child whose output goes straight through. */
  private tool(
    name: string,
    script: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
  ): { tool: Child; ended: Promise<void> } {
    const file = path.resolve(root, 'node_modules', script);
    const tool = startChild({ name, script: file, args, env, cwd: root, inherit: true });
    const release = this.cleanup.add(() => tool.stop(5_000));
    const timer = setTimeout(() => {
      this.log(`${name} ran longer than ${limitMinutes} minutes (TEST_TIME_LIMIT_MINUTES) and is stopped`);
      void tool.stop(5_000);
    }, limitMs);
    const ended = tool.exited.then(() => {
      clearTimeout(timer);
      release();
    });
    return { tool, ended };
  }

  /** Runs jest against the stack and adds up what it reports; a suite that could not run counts as one failed test. */
  private async jest(
    stack: Stack,
    skipping: SkippingServer,
    topology: TopologyParts,
    args: readonly string[],
  ): Promise<void> {
    const file = path.join(stack.folder, 'jest.json');
    const options = ['--config', path.join(root, 'jest.config.cjs'), '--json', '--outputFile', file, ...args];
    const { tool, ended } = this.tool('jest', 'jest/bin/jest.js', options, testEnvironment(stack, skipping, topology));
    // The report is written when the last test has ended; something left open must not keep the run from ending.
    void until(() => !tool.running || fs.existsSync(file), limitMs, 500).then(async () => {
      if (await until(() => !tool.running, 30_000, 200)) return;
      this.log('jest has reported but does not end (something was left open); it is stopped');
      await tool.stop(5_000);
    });
    await ended;
    if (this.cleanup.isInterrupted) return;
    const report = readJson<Report>(file);
    if (report) this.add(report);
    else this.record('jest', `  it ended with ${endOf(tool)} and left no report`);
  }

  private add({ success, testResults }: Report): void {
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const count = (...statuses: string[]): number => tests.filter(({ status }) => statuses.includes(status)).length;
    const suites = testResults.filter(({ status }) => status === 'failed');
    const unrun = suites.filter(({ assertionResults: all }) => all.every(({ status }) => status !== 'failed')).length;
    const [passed, failed, skipped] = [count('passed'), count('failed'), count('pending', 'skipped', 'todo')];
    this.passed += passed;
    this.failed += failed + unrun;
    this.skipped += skipped;
    this.log(`jest: ${passed} passed, ${failed} failed, ${unrun} suites could not run, ${skipped} skipped`);
    // Once more at the end, in short: of a long output often the last lines alone are kept.
    for (const { name, assertionResults } of suites) {
      this.log(`  FAIL ${path.relative(root, name)}`);
      for (const { status, fullName, failureMessages } of assertionResults)
        if (status === 'failed') this.log(`    ${fullName}\n      ${excerptOf(failureMessages)}`);
    }
    if (!success && suites.length === 0) this.record('jest', '  it ended unsuccessfully without a failed test');
  }
}

/** Returns the beginning of why a test failed, without the colours of a terminal and without empty lines. */
function excerptOf(messages: readonly string[]): string {
  const lines = stripVTControlCharacters(messages.join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return lines.slice(0, 14).join('\n      ').slice(0, 1_200);
}

/** Returns which of jest's projects run: the faults, the whole gate, or file by file what patterns ask for. */
function projectsOf(ofFaults: boolean, patterns: readonly string[]): string[] {
  if (ofFaults) return ['--selectProjects', 'faults'];
  if (patterns.length === 0) return ['--selectProjects', 'gate'];
  const named = (folder: string): boolean => patterns.some((pattern) => pattern.includes(folder));
  const ignored = [...(named(faultsFolder) ? [] : ['faults']), ...(named(lanesFolder) ? [] : ['gate'])];
  return ignored.length > 0 ? ['--ignoreProjects', ...ignored] : [];
}

/** Returns the environment of the tests: where their servers are, and nothing of a stack of one's own. */
function testEnvironment(
  stack: Stack,
  skipping: SkippingServer,
  { temporal, pooler }: TopologyParts,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'test',
    TEST_DATABASE_URL: stack.databaseUrl,
    TEST_TEMPORAL_ADDRESS: stack.temporalAddress,
    TEST_TEMPORAL_CLI: stack.temporalCli,
    TEST_SKIPPING_SERVER: 'path' in skipping ? skipping.path : '',
    TEST_SKIPPING_REASON: 'skipped' in skipping ? skipping.skipped : '',
    TEST_TEMPORAL_SERVER: 'path' in temporal ? temporal.path : '',
    TEST_PGBOUNCER: 'path' in pooler ? pooler.path : '',
    TEST_TOPOLOGY_REASON: [temporal, pooler].flatMap((part) => ('skipped' in part ? [part.skipped] : [])).join('; '),
    TEST_TMP: stack.folder,
  };
  for (const name of foreign) delete env[name];
  return env;
}

/**
 * `npm test`: types, format, lint and all tests, on servers of their own; `npm run test:faults`: what is slow by
 * nature. Both end with `N passed, N failed`.
 */
export async function main(launcher: Launcher): Promise<void> {
  const cleanup = createCleanup(launcher);
  const run = new Run(launcher.log, cleanup);
  try {
    await run.all(process.argv.slice(2));
  } catch (error) {
    if (!cleanup.isInterrupted) {
      run.failed += 1;
      printError(error);
    }
  }
  // The interrupt's own clean-up ends the process.
  if (cleanup.isInterrupted) return;
  await cleanup.run().catch(printError);
  const { passed, failed, skipped } = run;
  const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
  process.stdout.write(line, () => process.exit(failed > 0 || passed === 0 ? 1 : 0));
}
