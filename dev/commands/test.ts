import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endOf, startChild, type Child } from '../lib/children';
import { createCleanup, type Cleanup } from '../lib/cleanup';
import { readJson } from '../lib/files';
import { printError, root, simulationScript, type Launcher, type Log } from '../lib/launcher';
import { until } from '../lib/processes';
import { startThrowawayStack, type Stack } from '../lib/stack';
import { testsOfChanges } from '../tests/changed';
import { faultsFolder, lanesFolder, listTests } from '../tests/files';
import { endedSeconds, isCounted, totalOf } from '../tests/costs';
import { needsOf, type Need } from '../tests/needs';
import { commandFor, excerptOf, fileOf, type TestCase } from '../tests/reporter';
import { readExcuses, unexcused } from '../tests/skipped';
import { provideTimeSkippingServer } from '../timeSkipping/provide';
import { provideDebian, provideTemporalServer } from '../topology/provide';

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

const faultsFlag = '--faults';
const changedFlag = '--changed';

/** What `npm run lint` looks at for who imports whom. */
const sourceFolders = ['api', 'models', 'workflows', 'activities', 'worker', 'admin', 'dev'];

/**
 * The most servers that a whole gate starts (test/support/runtime.ts): tests take workspaces in those of their lane.
 */
const mostServers = 45;

/** One more than jest.config.cjs says: by three, which mostly wait, two processors are idle for a quarter. */
const workersOfFaults = ['--maxWorkers', '4'];

/** What had its form last time and has the same text has it now: to look at all files takes 36 s of a processor. */
const prettierMemory = ['--cache', '--cache-strategy', 'content', '--cache-location', 'dist/.prettier'];

/**
 * Megabytes for what was just made, of which tests leave little: it is looked through less often, which spares a tenth
 * of their processor seconds. Jest hands it on to its workers; what tests start does not get it.
 */
const youngHeap = ['--min-semi-space-size=16', '--max-semi-space-size=32'];

/** Boundaries of the simulation that a gate tries: a minute of it, where nothing else runs. */
const simulated = '50000';

/** One file of jest's report. */
interface Suite {
  readonly status: string;
  readonly name: string;
  readonly assertionResults: readonly TestCase[];
}

/** What the tests are handed by their environment. */
type Provided = Readonly<Record<`TEST_${string}`, string>>;

/** Everything is required, nothing may be skipped: in CI. */
const isStrict = process.env['CI'] === 'true' || process.env['REQUIRE_EVERYTHING'] === '1';

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
  private stack: Stack | undefined;

  constructor(
    private readonly log: Log,
    private readonly cleanup: Cleanup,
  ) {}

  async all(given: readonly string[]): Promise<void> {
    const ofFaults = given.includes(faultsFlag);
    const args = this.selected(given.filter((arg) => arg !== faultsFlag));
    const isWhole = args.length === 0;
    const options = [...args, ...projectsOf(ofFaults, args), ...(ofFaults && isWhole ? workersOfFaults : [])];
    // Asks first, then prepares: what these files need and nothing else.
    const needs = needsOf(listTests(options));
    // Once in `.ci/run`: what is slow by nature runs after the gate. It waits a quarter of its time: mutants use it.
    const checked = ofFaults
      ? isWhole && this.tryMutants()
      : this.checkSources(isWhole, isWhole || given.includes(changedFlag));
    // CI runs the faults next, which need it: it takes what processor time the gate leaves.
    const built = isStrict && isWhole && !ofFaults ? provideTemporalServer(this.log, { isBeside: true }) : undefined;
    const provided = await this.provided(needs);
    await this.jest(provided, options);
    this.tellServers();
    if (isWhole && !ofFaults) this.checkServers(provided.TEST_TMP ?? '');
    await checked;
    await built;
  }

  /** Returns the arguments for jest, with files in place of `--changed [REV]`. */
  private selected(args: readonly string[]): readonly string[] {
    const at = args.indexOf(changedFlag);
    if (at < 0) return args;
    const next = args[at + 1];
    const since = next !== undefined && !next.startsWith('-') ? next : 'HEAD';
    const { files, lines } = testsOfChanges(since);
    for (const line of lines) this.log(line);
    const rest = [...args.slice(0, at), ...args.slice(at + (since === next ? 2 : 1))];
    return files ? ['--runTestsByPath', ...files, ...rest] : rest;
  }

  /** Provides what the tests need, and says where it is or why there is none. */
  private async provided(needs: ReadonlySet<Need>): Promise<Provided> {
    const [stack, skipping, pooler, temporal, prometheus] = await Promise.all([
      needs.has('servers') ? this.startStack() : null,
      needs.has('timeSkipping') ? provideTimeSkippingServer(this.log) : null,
      needs.has('pooler') ? provideDebian('pooler', this.log) : null,
      needs.has('temporalServer') ? provideTemporalServer(this.log) : null,
      needs.has('alerting') ? provideDebian('prometheus', this.log) : null,
    ]);
    const parts = [skipping, pooler, temporal, prometheus];
    for (const part of parts)
      if (part && 'skipped' in part) this.log(`Tests that need it are skipped: ${part.skipped}`);
    const pathOf = (part: (typeof parts)[number]): string => (part && 'path' in part ? part.path : '');
    const reasonOf = (part: (typeof parts)[number]): string => (part && 'skipped' in part ? part.skipped : '');
    return {
      TEST_TMP: stack?.folder ?? this.makeFolder(),
      TEST_DATABASE_URL: stack?.databaseUrl ?? '',
      TEST_TEMPORAL_ADDRESS: stack?.temporalAddress ?? '',
      TEST_TEMPORAL_CLI: stack?.temporalCli ?? '',
      TEST_BROWSER: needs.has('browser') ? '1' : '',
      TEST_SKIPPING_SERVER: pathOf(skipping),
      TEST_SKIPPING_REASON: reasonOf(skipping),
      TEST_TEMPORAL_SERVER: pathOf(temporal),
      TEST_PGBOUNCER: pathOf(pooler),
      TEST_PROMETHEUS: pathOf(prometheus),
      TEST_TOPOLOGY_REASON: [temporal, pooler, prometheus].map(reasonOf).filter(Boolean).join('; '),
    };
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

  /** Makes a folder for tests that need no servers of the run. */
  private makeFolder(): string {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'msgdesk-tests-'));
    // A server of a test's own runs as another user, who has to be able to pass through.
    fs.chmodSync(folder, 0o711);
    this.cleanup.add(() => Promise.resolve(fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })));
    return folder;
  }

  /** Says what the servers of the run have taken of the processors. */
  private tellServers(): void {
    if (!isCounted || !this.stack) return;
    const { postgresPid, temporalPid } = this.stack;
    const seconds = (pid: number | undefined): string => `${totalOf(pid).toFixed(0)} s`;
    this.log(`Of the processors PostgreSQL took ${seconds(postgresPid)}, Temporal ${seconds(temporalPid)}`);
  }

  private async startStack(): Promise<Stack> {
    const stack = await startThrowawayStack({ log: this.log });
    this.cleanup.add(stack.close);
    this.stack = stack;
    return stack;
  }

  private record(name: string, fault: string, took = ''): void {
    if (fault) {
      this.failed += 1;
      this.log(`FAIL ${name}\n${fault}`);
    } else {
      this.passed += 1;
      this.log(`PASS ${name}${took && ` (${took})`}`);
    }
  }

  /**
   * Checks, beside the tests, the types: the build looks at none. Where many run also format, lint and imports, and
   * in a whole run a minute of interleavings and faults of delivery (test/simulation), always the same: a gate says the
   * same of the same code.
   */
  private async checkSources(isWhole: boolean, isOfMany: boolean): Promise<void> {
    // Version 7 takes a quarter of the time of 6, which other tools need.
    await this.check('types', 'typescript-7/bin/tsc', ['-p', 'tsconfig.json', '--noEmit']);
    await this.check('types of the browser', 'typescript-7/bin/tsc', ['-p', 'tsconfig.browser.json']);
    if (!isOfMany) return;
    await this.check('format', 'prettier/bin/prettier.cjs', ['--check', ...prettierMemory, '--log-level', 'warn', '.']);
    await this.check('lint', 'oxlint/bin/oxlint', []);
    await this.check('imports', 'dependency-cruiser/bin/dependency-cruise.mjs', sourceFolders);
    await this.check('what nobody uses', 'knip/bin/knip.js', ['--no-progress']);
    if (!isWhole) return;
    await this.check('simulation', simulationScript, ['--seed', '1', '--for', '30m', '--boundaries', simulated]);
  }

  /** Counts the servers that the tests have started. */
  private checkServers(folder: string): void {
    const file = path.join(folder, 'servers');
    const count = fs.existsSync(file) ? fs.statSync(file).size : 0;
    this.record(`${count} servers`, count > mostServers ? `  at most ${mostServers}: share one (sharedDesk)` : '');
  }

  private async check(name: string, script: string, args: readonly string[]): Promise<void> {
    const [began, before] = [Date.now(), isCounted ? endedSeconds() : 0];
    const { tool, ended } = this.tool(name, script, args);
    await ended;
    const took = `${((Date.now() - began) / 1_000).toFixed(1)} s`;
    const counted = isCounted ? `, ${(endedSeconds() - before).toFixed(1)} s of processors` : '';
    this.record(name, tool.code === 0 ? '' : `  it ended with ${endOf(tool)}`, took + counted);
  }

  /** Starts one of the tools as a child whose output goes straight through. */
  private tool(
    name: string,
    script: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
    nodeOptions: readonly string[] = [],
  ): { tool: Child; ended: Promise<void> } {
    const file = path.resolve(root, 'node_modules', script);
    const tool = startChild({ name, script: file, nodeOptions, args, env, cwd: root, inherit: true });
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

  /** Runs jest and adds up what it reports; a suite that could not run counts as one failed test. */
  private async jest(provided: Provided, args: readonly string[]): Promise<void> {
    const file = path.join(provided['TEST_TMP'] ?? '', 'jest.json');
    const own = (name: string): string => path.join(root, 'dist', name);
    const reporters = ['--reporters', 'default', '--reporters', own('dev/tests/reporter.js')];
    const config = ['--config', path.join(root, 'jest.config.cjs'), '--json', '--outputFile', file];
    const options = [...args, ...config, ...reporters, '--testSequencer', own('test/support/sequencer.js')];
    const { tool, ended } = this.tool('jest', 'jest/bin/jest.js', options, testEnvironment(provided), youngHeap);
    // The report is written when the last test has ended; something left open must not keep the run from ending.
    void until(() => !tool.running || fs.existsSync(file), limitMs, 500).then(async () => {
      if (await until(() => !tool.running, 30_000, 200)) return;
      this.log('jest has reported but does not end (something was left open); it is stopped');
      await tool.stop(5_000);
    });
    await ended;
    if (this.cleanup.isInterrupted) return;
    const report = readJson<Report>(file);
    if (report) {
      this.add(report);
      // With a name, all others are skipped as asked.
      if (!args.some((arg) => /^(-t|--testNamePattern)/.test(arg))) await this.compareSkipped(report);
    } else this.record('jest', `  it ended with ${endOf(tool)} and left no report`);
  }

  /** Fails for every skipped test that test/skipped.json does not excuse. */
  private async compareSkipped({ testResults }: Report): Promise<void> {
    const skipped = testResults.flatMap(({ name: suite, assertionResults }) =>
      assertionResults
        .filter(({ status }) => ['pending', 'skipped', 'todo', 'disabled'].includes(status))
        .map(({ fullName, ancestorTitles }) => ({ file: fileOf(suite, ancestorTitles), name: fullName })),
    );
    for (const line of await unexcused(skipped, readExcuses(), isStrict)) this.record('skipped tests', `  ${line}`);
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
      for (const test of assertionResults)
        if (test.status === 'failed')
          this.log(
            `    ${test.fullName}\n      ${excerptOf(test.failureMessages)}\n    again: ${commandFor(name, test)}`,
          );
    }
    if (!success && suites.length === 0) this.record('jest', '  it ended unsuccessfully without a failed test');
  }
}

/** Returns which of jest's projects run: the faults, the whole gate, or file by file what patterns ask for. */
function projectsOf(ofFaults: boolean, patterns: readonly string[]): string[] {
  if (patterns.includes('--runTestsByPath')) return ['--ignoreProjects', 'faults', 'gate'];
  if (ofFaults) return ['--selectProjects', 'faults'];
  if (patterns.length === 0) return ['--selectProjects', 'gate'];
  const named = (folder: string): boolean => patterns.some((pattern) => pattern.includes(folder));
  const ignored = [...(named(faultsFolder) ? [] : ['faults']), ...(named(lanesFolder) ? [] : ['gate'])];
  return ignored.length > 0 ? ['--ignoreProjects', ...ignored] : [];
}

/** Returns the environment of the tests: what is provided, and nothing of a stack of one's own. */
function testEnvironment(provided: Provided): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: 'test', ...provided };
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
