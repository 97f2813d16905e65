import { runCli } from '../../admin/cli';
import type { TestRuntime } from './runtime';

/** How a command ended, and what it wrote. */
interface Ended {
  readonly code: number;
  readonly out: string;
  readonly problems: string;
}

/** Runs an admin command with `--json`. What met a busy database is tried again, as an operator would. */
export async function runAdmin({ env }: Pick<TestRuntime, 'env'>, argv: readonly string[]): Promise<Ended> {
  for (;;) {
    let [out, problems] = ['', ''];
    const code = await runCli(['--json', ...argv], {
      env: { ...env },
      stdout: (text) => void (out += text),
      stderr: (text) => void (problems += text),
    });
    if (!problems.includes('The service is busy.')) return { code, out, problems };
  }
}

/** Returns what an admin command printed, and fails with its words where it was refused. */
export async function adminJson(test: Pick<TestRuntime, 'env'>, ...argv: string[]): Promise<Record<string, unknown>> {
  const { code, out, problems } = await runAdmin(test, argv);
  if (code !== 0) throw new Error(`${out}${problems}`);
  return JSON.parse(out) as Record<string, unknown>;
}
