import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from '@temporalio/worker';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';
import { everyRecordedHistory, historyFromText, readSeal, recordedHistories, seal, sealOf } from '../support/histories';
import { bundlePath, tracedBundlePath } from '../support/settings';
import { everyPath } from './paths';

const versions = everyRecordedHistory();
const current = recordedHistories();

describe.each(versions)('histories that workflows of $version recorded', ({ folder, released, texts }) => {
  beforeAll(() => installRuntime(createLogger('silent', 'test')));

  it.each([
    ['as it is', bundlePath],
    ['traced', tracedBundlePath],
  ])(
    'replay with the code of today, %s',
    async (_how, codePath) => {
      const histories = [...texts].map(([workflowId, text]) => ({ workflowId, history: historyFromText(text) }));
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
      expect([failed, replayed]).toEqual([[], texts.size]);
      // Some seconds alone; minutes beside the other lanes on a slow machine.
    },
    600_000,
  );

  if (released) it('are those of its release', () => expect(sealOf(folder)).toBe(readSeal(folder)));
});

describe('recorded histories', () => {
  it('are sealed for every version but that of package.json, which has one for every path of every workflow', () => {
    const unsealed = versions.filter(({ released }) => !released).map(({ version }) => version);
    expect(unsealed).toEqual(current.released ? [] : [current.version]);
    const missing = everyPath().filter(({ name }) => !current.texts.has(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('would notice an archive that was changed after its release', async () => {
    const folder = await mkdtemp(path.join(process.env['TEST_TMP'] || tmpdir(), 'histories-'));
    await cp(current.folder, folder, { recursive: true });
    seal(folder);
    expect(sealOf(folder)).toBe(readSeal(folder));
    await appendFile(path.join(folder, 'messageDelivery.json.gz'), ' ');
    expect(sealOf(folder)).not.toBe(readSeal(folder));
    await rm(folder, { recursive: true });
  });

  it('would notice a workflow that decides otherwise', async () => {
    // As if the timer's code had once run another activity than today's.
    const text = current.texts.get('messageDelivery.delivered') ?? '';
    const history = historyFromText(text.replaceAll('"deliverNextMessage"', '"settleStaleClaims"'));
    for (const codePath of [bundlePath, tracedBundlePath])
      await expect(Worker.runReplayHistory({ workflowBundle: { codePath } }, history)).rejects.toThrow();
  });
});
