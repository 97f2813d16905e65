import { startLoops } from '../../worker/loops';
import { eventually } from '../support/eventually';
import { captureStatements } from '../support/statements';
import { createTestRuntime } from '../support/runtime';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('a worker that has nothing to do sends at most eight statements a second', async () => {
  const test = await createTestRuntime();
  const loops = startLoops(test.runtime);
  test.onClose(async () => void (await Promise.all(loops.map((loop) => loop.stop()))));
  try {
    // Looks that find nothing become rarer, the later the slower the machine.
    await eventually(
      async () => {
        const began = performance.now();
        const { statements } = await captureStatements(() => pause(8_000));
        const seconds = (performance.now() - began) / 1_000;
        expect(statements.length / seconds).toBeLessThanOrEqual(8);
        expect(statements.length).toBeGreaterThan(0);
      },
      { timeoutMs: 60_000 },
    );
  } finally {
    await test.close();
  }
});
