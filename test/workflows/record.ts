/**
 * Records the histories of this version that `replay.test.ts` replays, into `histories/VERSION/`: an archive per
 * workflow, with its paths.
 *
 *   npm run build
 *   TEST_TEMPORAL_CLI=/path/to/temporal node dist/test/workflows/record.js [workflow.path…]
 *
 * Paths recorded before are kept unless they are named. At a release `--release` seals those of this version: from then
 * on they stay as they are, every later version must replay them (`patched()`), and new recordings need a new version
 * in package.json.
 */
import { mkdir } from 'node:fs/promises';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';
import { withFakes } from '../support/fakes';
import { historyToText, recordedHistories, seal, writeHistory } from '../support/histories';
import { root } from '../support/settings';
import { privateTemporal } from '../support/temporal';
import { everyPath, suggestedAfterEvents, walk } from './paths';

async function record(names: readonly string[]): Promise<void> {
  const { folder, version, released, texts } = recordedHistories();
  if (released) throw new Error(`${version} is released: raise "version" in package.json first`);
  const wanted = everyPath().filter(({ name }) => (names.length > 0 ? names.includes(name) : !texts.has(name)));
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
      writeHistory(folder, way.name, historyToText(history).replaceAll(`${root}/`, ''));
      process.stdout.write(`${way.name}: ${history.events?.length ?? 0} events\n`);
    }
  } finally {
    await env.teardown();
    await server.close();
  }
}

/** Seals what this version recorded; nothing may be missing. */
function release(): void {
  const { folder, version, released, texts } = recordedHistories();
  const missing = everyPath().filter(({ name }) => !texts.has(name));
  if (released) throw new Error(`${version} is released already`);
  if (missing.length > 0) throw new Error(`record first: ${missing.map(({ name }) => name).join(', ')}`);
  seal(folder);
  process.stdout.write(`${version}: ${texts.size} histories sealed\n`);
}

const [first] = process.argv.slice(2);
const work = first === '--release' ? Promise.resolve().then(release) : record(process.argv.slice(2));
work.catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
