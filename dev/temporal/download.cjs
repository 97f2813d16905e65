'use strict';

// A child process: lets the SDK fetch its binary into the folder argv[3] and prints the path. The SDK has no call for
// the download alone, so the server is started and stopped once. argv[2]: `dev-server` or `time-skipping`.
const fs = require('fs');
const path = require('path');
const { TestWorkflowEnvironment } = require('@temporalio/testing');
const { Runtime, DefaultLogger } = require('@temporalio/worker');

async function main() {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const executable = { type: 'cached-download', downloadDir: process.argv[3] };
  const environment =
    process.argv[2] === 'dev-server'
      ? await TestWorkflowEnvironment.createLocal({ server: { executable } })
      : await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  await environment.teardown();
  const name = fs
    .readdirSync(process.argv[3])
    .find((entry) => entry.startsWith('temporal') && !entry.endsWith('.downloading'));
  if (!name) throw new Error('the SDK kept its download elsewhere');
  console.log('DOWNLOADED ' + path.join(process.argv[3], name));
  process.exit(0);
}

main().catch((error) => {
  const causes = [];
  for (let cause = error; cause; cause = cause.cause) causes.push(cause.message);
  console.error('Error: ' + causes.join(': '));
  process.exit(1);
});
