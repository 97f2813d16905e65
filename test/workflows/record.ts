/**
 * Records the histories that `replay.test.ts` replays: one file per path of each workflow.
 *
 *   npm run build && TEST_TEMPORAL_CLI=/path/to/temporal node dist/test/workflows/record.js [name…]
 *
 * Existing files are kept unless their name is given: once a version is released, what its workflows recorded must
 * stay replayable, so a re-recorded file needs a line in CHANGELOG.md (and after 1.0 is replaced by `patched()`).
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';
import { withFakes } from '../support/fakes';
import { historyToText } from '../support/histories';
import { root } from '../support/settings';
import { privateTemporal } from '../support/temporal';
import { everyPath, suggestedAfterEvents, walk } from './paths';

const folder = path.join(root, 'test', 'workflows', 'histories');

async function record(names: readonly string[]): Promise<void> {
  const wanted = everyPath().filter(({ name }) =>
    names.length > 0 ? names.includes(name) : !existsSync(path.join(folder, `${name}.json`)),
  );
  installRuntime(createLogger('warn', 'record'));
  const server = await privateTemporal({
    dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': suggestedAfterEvents },
  });
  const env = await TestWorkflowEnvironment.createFromExistingServer({
    address: server.address,
    client: { identity: 'recorder' },
  });
  try {
    await mkdir(folder, { recursive: true });
    for (const way of wanted) {
      const { workflowId, runId } = await withFakes(env, way.fakes(), (taskQueue) => walk(env, way, taskQueue));
      const history = await env.client.workflow.getHandle(workflowId, runId).fetchHistory();
      // Stack traces name the folder of whoever records.
      await writeFile(path.join(folder, `${way.name}.json`), `${historyToText(history).replaceAll(`${root}/`, '')}\n`);
      process.stdout.write(`${way.name}: ${history.events?.length ?? 0} events\n`);
    }
  } finally {
    await env.teardown();
    await server.close();
  }
}

record(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
