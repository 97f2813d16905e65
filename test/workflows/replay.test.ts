import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from '@temporalio/worker';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';
import { historyFromText } from '../support/histories';
import { bundlePath } from '../support/settings';
import { everyPath } from './paths';

const folder = path.join(__dirname, 'histories');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

describe('recorded histories', () => {
  beforeAll(() => installRuntime(createLogger('silent', 'test')));

  it.each(files)('%s replays with the code of today', async (file) => {
    const history = historyFromText(readFileSync(path.join(folder, file), 'utf8'));
    await Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath } }, history);
  });

  it('has one for every path of every workflow', () => {
    const missing = everyPath()
      .filter(({ name }) => !files.includes(`${name}.json`))
      .map(({ name }) => name);
    expect(missing).toEqual([]);
  });

  it('would notice a workflow that decides otherwise', async () => {
    // As if the timer's code had once run another activity than today's.
    const history = historyFromText(
      readFileSync(path.join(folder, 'messageDelivery.queued.json'), 'utf8').replaceAll(
        '"deliverNextMessage"',
        '"settleStaleClaims"',
      ),
    );
    await expect(Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath } }, history)).rejects.toThrow();
  });
});
