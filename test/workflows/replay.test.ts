import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from '@temporalio/worker';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';
import {
  everyRecordedHistory,
  historyFromText,
  readHistory,
  readSeal,
  recordedHistories,
  seal,
  sealOf,
} from '../support/histories';
import { bundlePath, tracedBundlePath } from '../support/settings';
import { everyPath } from './paths';

const versions = everyRecordedHistory();
const current = recordedHistories();

describe.each(versions)('histories that workflows of $version recorded', ({ folder, names, released, version }) => {
  beforeAll(() => installRuntime(createLogger('silent', 'test')));

  it.each([
    ['as it is', bundlePath],
    ['traced', tracedBundlePath],
  ])(
    'replay with the code of today, %s',
    async (_how, codePath) => {
      const histories = names.map((name) => ({
        workflowId: name,
        history: historyFromText(readHistory(folder, name)),
      }));
      // One worker for all of them: to load the bundle takes longer than to replay most.
      const failed: string[] = [];
      let replayed = 0;
      for await (const { workflowId, error } of Worker.runReplayHistories(
        { workflowBundle: { codePath } },
        histories,
      )) {
        replayed += 1;
        if (error) failed.push(`${workflowId}: ${error.message}`);
      }
      expect([failed, replayed]).toEqual([[], names.length]);
      // Some seconds alone; minutes beside the other lanes on a slow machine.
    },
    600_000,
  );

  if (released)
    it('are those of its release', () => {
      const histories = recordedHistories(version);
      expect(sealOf(histories)).toBe(readSeal(histories));
    });
});

describe('recorded histories', () => {
  it('are sealed for every version but that of package.json, which has one for every path of every workflow', () => {
    const unsealed = versions.filter(({ released }) => !released).map(({ version }) => version);
    expect(unsealed).toEqual(current.released ? [] : [current.version]);
    const missing = everyPath().filter(({ name }) => !current.names.includes(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('would notice a file that was changed after its release', async () => {
    const folder = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'histories-'));
    await cp(current.folder, folder, { recursive: true });
    const copy = { ...current, folder };
    seal(copy);
    expect(sealOf(copy)).toBe(readSeal(copy));
    await appendFile(path.join(folder, 'messageDelivery.delivered.json.gz'), ' ');
    expect(sealOf(copy)).not.toBe(readSeal(copy));
    await rm(folder, { recursive: true });
  });

  it('would notice a workflow that decides otherwise', async () => {
    // As if the timer's code had once run another activity than today's.
    const history = historyFromText(
      readHistory(current.folder, 'messageDelivery.delivered').replaceAll(
        '"deliverNextMessage"',
        '"settleStaleClaims"',
      ),
    );
    for (const codePath of [bundlePath, tracedBundlePath])
      await expect(Worker.runReplayHistory({ workflowBundle: { codePath } }, history)).rejects.toThrow();
  });
});
