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
    const reason = process.env['TEST_SKIPPING_REASON'];
    if (!reason) throw new Error('no time-skipping server was prepared: run `npm test`');
    describe.skip(`${name} (no time-skipping server: ${reason})`, () => body(() => raise(reason)));
    return;
  }
  describe(name, () => {
    let env: TestWorkflowEnvironment | undefined;
    beforeAll(async () => {
      installRuntime(createLogger(process.env['TEST_LOG_LEVEL'] ?? 'silent', 'test'));
      env = await createEnvironment(server);
    }, 120_000);
    afterAll(async () => {
      await env?.teardown();
    });
    body(() => env ?? raise('the environment is not up'));
  });
}

/** Starts the server; the SDK gives it 5 s, which are over soon on a busy machine, so it is started anew. */
async function createEnvironment(path: string, left = 5): Promise<TestWorkflowEnvironment> {
  try {
    return await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
    });
  } catch (error) {
    if (left === 0 || !/did not start within/.test(String(error))) throw error;
    return createEnvironment(path, left - 1);
  }
}

function raise(reason: string): never {
  throw new Error(reason);
}
