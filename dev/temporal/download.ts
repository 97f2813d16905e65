/**
 * A child process: lets the SDK fetch its binary into the folder argv[3] and prints the path. The SDK has no call for
 * the download alone, so the server is started and stopped once. argv[2]: `dev-server` or `time-skipping`;
 * argv[4]: the version, the SDK's own choice where there is none.
 */
import fs from 'node:fs';
import path from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';

async function main(kind: string, folder: string, version = 'default'): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const server = { executable: { type: 'cached-download' as const, downloadDir: folder, version } };
  const environment =
    kind === 'dev-server'
      ? await TestWorkflowEnvironment.createLocal({ server })
      : await TestWorkflowEnvironment.createTimeSkipping({ server });
  await environment.teardown();
  const name = fs.readdirSync(folder).find((entry) => entry.startsWith('temporal') && !entry.endsWith('.downloading'));
  if (!name) throw new Error('the SDK kept its download elsewhere');
  console.log(`DOWNLOADED ${path.join(folder, name)}`);
  process.exit(0);
}

main(process.argv[2] ?? '', process.argv[3] ?? '', process.argv[4]).catch((error: unknown) => {
  const causes: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
  console.error(`Error: ${causes.join(': ')}`);
  process.exit(1);
});
