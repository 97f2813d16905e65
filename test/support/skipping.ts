import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createLogger } from '../../api/core/logger';
import { installRuntime } from '../../worker/sdkRuntime';

/**
 * A group of tests on the time-skipping server. Without one (some platforms have none, contract 2) the group counts
 * as skipped and its name says why.
 */
export function describeSkipping(name: string, body: (env: () => TestWorkflowEnvironment) => void): void {
  const server = process.env['TEST_SKIPPING_SERVER'];
  if (!server) {
    const reason = process.env['TEST_SKIPPING_REASON'] || 'run `npm test`';
    describe.skip(`${name} (no time-skipping server: ${reason})`, () => body(() => raise(reason)));
    return;
  }
  describe(name, () => {
    let env: TestWorkflowEnvironment | undefined;
    beforeAll(async () => {
      installRuntime(createLogger(process.env['TEST_LOG_LEVEL'] ?? 'silent', 'test'));
      env = await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable: { type: 'existing-path', path: server } },
      });
    });
    afterAll(async () => {
      await env?.teardown();
    });
    body(() => env ?? raise('the environment is not up'));
  });
}

function raise(reason: string): never {
  throw new Error(reason);
}
