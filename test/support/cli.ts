import { runCli } from '../../admin/cli';
import type { TestRuntime } from './runtime';

/**
 * Runs an admin command with `--json`; returns what it printed, and fails with its words where it was refused. What met
 * a busy database is tried again, as an operator would.
 */
export async function adminJson(
  { env }: Pick<TestRuntime, 'env'>,
  ...argv: string[]
): Promise<Record<string, unknown>> {
  for (;;) {
    let out = '';
    let problems = '';
    const code = await runCli(['--json', ...argv], {
      env: { ...env },
      stdout: (text) => void (out += text),
      stderr: (text) => void (problems += text),
    });
    if (code === 0) return JSON.parse(out) as Record<string, unknown>;
    if (!problems.includes('The service is busy.')) throw new Error(`${out}${problems}`);
  }
}
