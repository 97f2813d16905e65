'use strict';

require('./lib/checkNode.cjs')();

const fs = require('fs');
const path = require('path');
const { createLog, printError } = require('./lib/log.cjs');
const { startChild, until, onParentGone } = require('./lib/processes.cjs');
const { root, readJson } = require('./lib/settings.cjs');
const { prepare } = require('./lib/prepare.cjs');
const { startThrowawayStack } = require('./lib/stack.cjs');
const { provideTimeSkippingServer } = require('./timeSkipping/provide.cjs');

const log = createLog();
const timeLimitMs = Number(process.env.TEST_TIME_LIMIT_MINUTES || 60) * 60000;
const count = { passed: 0, failed: 0, skipped: 0 };
const cleanups = [];
let interrupted = false;

async function cleanUp() {
  while (cleanups.length > 0) await cleanups.pop()();
}

function record(name, fault, seconds) {
  if (fault) {
    count.failed += 1;
    log('FAIL ' + name + '\n' + fault);
  } else {
    count.passed += 1;
    log('PASS ' + name + (seconds ? ' (' + seconds.toFixed(1) + ' s)' : ''));
  }
}

/** Runs one of the tools as a child whose output goes straight through; gives its handle when it ended. */
async function runTool(name, script, args, env) {
  const tool = startChild({
    name,
    script: path.join(root, 'node_modules', script),
    args,
    env: env || process.env,
    cwd: root,
    inherit: true,
  });
  const stop = () => tool.stop(5000);
  cleanups.push(stop);
  const timer = setTimeout(() => {
    log(name + ' ran longer than ' + timeLimitMs / 60000 + ' minutes (TEST_TIME_LIMIT_MINUTES) and is stopped');
    tool.stop(5000);
  }, timeLimitMs);
  return {
    tool,
    ended: tool.exited.then(() => {
      clearTimeout(timer);
      cleanups.splice(cleanups.indexOf(stop), 1);
      return tool;
    }),
  };
}

/** Runs one of the checks of the source text and records whether it found nothing. */
async function check(name, script, args) {
  const began = Date.now();
  const tool = await (await runTool(name, script, args)).ended;
  const fault = tool.code === 0 ? '' : '  it ended with ' + (tool.signal || 'code ' + tool.code);
  record(name, fault, (Date.now() - began) / 1000);
}

async function lint() {
  await check('format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']);
  await check('lint', 'eslint/bin/eslint.js', ['.']);
}

/** Runs jest against the stack and adds up what it reports; a suite that could not run counts as one failed test. */
async function runJest(stack, skipping, args) {
  const report = path.join(stack.folder, 'jest.json');
  const env = Object.assign({}, process.env, {
    NODE_ENV: 'test',
    TEST_DATABASE_URL: stack.databaseUrl,
    TEST_TEMPORAL_ADDRESS: stack.temporalAddress,
    TEST_TEMPORAL_CLI: stack.temporalCli,
    TEST_SKIPPING_SERVER: skipping.path || '',
    TEST_SKIPPING_REASON: skipping.skipped || '',
    TEST_TMP: stack.folder,
  });
  // A stack of one's own, meant for `npm start`, must not be what the tests write to.
  for (const name of [
    'DATABASE_URL',
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
    'MSGAPP_API_URL',
    'SECRETS_KEY',
    'BASE_URL',
    'PORT',
  ])
    delete env[name];
  const jest = await runTool(
    'jest',
    'jest/bin/jest.js',
    ['--config', path.join(root, 'jest.config.cjs'), '--json', '--outputFile', report].concat(args),
    env,
  );
  // The report is written when the last test has ended; something left open must not keep the run from ending.
  until(() => !jest.tool.running || fs.existsSync(report), timeLimitMs, 500).then(async () => {
    if (await until(() => !jest.tool.running, 30000, 200)) return;
    log('jest has reported but does not end (something was left open); it is stopped');
    await jest.tool.stop(5000);
  });
  const ended = await jest.ended;
  if (interrupted) return;
  const result = readJson(report);
  if (!result) {
    record('jest', '  it ended with ' + (ended.signal || 'code ' + ended.code) + ' and left no report');
    return;
  }
  count.passed += result.numPassedTests;
  count.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  count.skipped += result.numPendingTests + result.numTodoTests;
  log(
    'jest: ' +
      result.numPassedTests +
      ' passed, ' +
      result.numFailedTests +
      ' failed, ' +
      result.numRuntimeErrorTestSuites +
      ' suites could not run, ' +
      (result.numPendingTests + result.numTodoTests) +
      ' skipped',
  );
  for (const suite of result.testResults) {
    if (suite.status === 'failed') log('  FAIL ' + path.relative(root, suite.name));
  }
  if (!result.success && result.numFailedTests + result.numRuntimeErrorTestSuites === 0)
    record('jest', '  it ended unsuccessfully without a failed test');
}

async function main() {
  const args = process.argv.slice(2);
  const built = await prepare({ log, keepGoing: true });
  record('types', built.fault, built.seconds);
  const linted = args.length === 0 ? lint() : null;

  const stack = await startThrowawayStack({ log });
  cleanups.push(stack.close);
  const skipping = await provideTimeSkippingServer({ log });
  if (skipping.skipped) {
    log('Time skipping: the tests that need it are skipped: ' + skipping.skipped);
    if (process.env.CI === 'true' || process.env.REQUIRE_TIME_SKIPPING === '1')
      record('time-skipping server', '  it is required here');
  }
  await runJest(stack, skipping, args);
  await linted;
}

function interrupt(signal) {
  if (interrupted) return;
  interrupted = true;
  log('Stopping (' + signal + ')');
  cleanUp().then(
    () => process.exit(130),
    () => process.exit(130),
  );
}
process.on('SIGINT', () => interrupt('SIGINT'));
process.on('SIGTERM', () => interrupt('SIGTERM'));
process.on('SIGHUP', () => interrupt('SIGHUP'));
if (process.env.npm_lifecycle_event) onParentGone(() => interrupt('npm is gone'));

main()
  .catch((error) => {
    if (interrupted) return;
    count.failed += 1;
    printError(error);
  })
  .then(async () => {
    // The interrupt's own clean-up ends the process.
    if (interrupted) return;
    try {
      await cleanUp();
    } catch (error) {
      printError(error);
    }
    const failed = count.failed > 0 || count.passed === 0;
    const line =
      count.passed +
      ' passed, ' +
      count.failed +
      ' failed' +
      (count.skipped > 0 ? ', ' + count.skipped + ' skipped' : '') +
      '\n';
    process.stdout.write(line, () => process.exit(failed ? 1 : 0));
  });
