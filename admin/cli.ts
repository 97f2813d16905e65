import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { loadConfig, type Config } from '../api/core/config';
import { isPlainObject } from '../api/core/http/fields';
import { createLogger } from '../api/core/logger';
import { createRuntime, type Runtime } from '../api/core/runtime';
import { registerAgent } from './agent';
import { registerBroadcast } from './broadcast';
import { registerDelivery } from './delivery';
import type { Deps, Result } from './deps';
import { explain } from './explain';
import { registerImport } from './import';
import { registerInbox } from './events';
import { registerKey } from './key';
import { registerLists } from './lists';
import { registerMacro } from './macro';
import { registerMember } from './member';
import { registerOauthClient } from './oauthClient';
import { registerOutbox } from './outbox';
import { registerRates } from './rates';
import { registerRule } from './rule';
import { registerSecrets } from './secrets';
import { registerSla } from './sla';
import { registerSso } from './sso';
import { registerSync } from './sync';
import { registerWorkspace } from './workspace';

/** Where the CLI reads its settings and writes its words; tests give their own. */
interface Io {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Returns all of standard input; the process's own unless a test gives another. */
  readonly stdin?: () => string;
  /** Whether stderr is a terminal, on which a line can be drawn over. */
  readonly terminal?: boolean;
}

/** All commands; each file adds its own. */
export const registrations: readonly ((program: Command, deps: Deps) => void)[] = [
  registerWorkspace,
  registerMember,
  registerKey,
  registerInbox,
  registerOauthClient,
  registerSync,
  registerBroadcast,
  registerDelivery,
  registerOutbox,
  registerSla,
  registerMacro,
  registerImport,
  registerLists,
  registerAgent,
  registerSecrets,
  registerRates,
  registerRule,
  registerSso,
];

/** Runs one command line (without node and script) and gives the exit code. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const program = new Command('npm run admin --')
    .usage('<command> [options]')
    .description('Sets up and looks after workspaces, members, keys, agents and broadcasts of this installation.')
    .option('--json', 'print exactly one JSON object on stdout and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
    .showHelpAfterError('(run it with --help to see its options)')
    .exitOverride();
  let config: Config | undefined;

  const json = (): boolean => program.opts<{ json?: boolean }>().json === true;
  let lines: string[] | undefined;
  const deps: Deps = {
    json,
    secret(value) {
      if (value !== '-') return value;
      lines ??= (io.stdin ?? (() => readFileSync(0, 'utf8')))().split(/\r?\n/);
      const line = lines.shift() ?? '';
      if (line === '') throw new InvalidArgumentError('Standard input has no line for it.');
      return line;
    },
    note: (line) => io.stderr(`${line}\n`),
    draw: (text) => {
      if (io.terminal !== true || json()) return false;
      io.stderr(text);
      return true;
    },
    async run(work) {
      config = loadConfig(io.env);
      // Whatever the runtime has to log goes to stderr: stdout is for the result.
      const level = config.logLevel === 'info' ? 'warn' : config.logLevel;
      const runtime: Runtime = createRuntime(config, 'admin', {
        logger: createLogger(level, 'admin', { write: io.stderr }),
      });
      let result: Result;
      try {
        result = await work(runtime);
      } finally {
        await runtime.close();
      }
      io.stdout(json() ? `${JSON.stringify(result)}\n` : table(result));
    },
  };
  for (const register of registrations) register(program, deps);

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    // commander has said already what was wrong with the command line, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    io.stderr(`error: ${explain(error, config?.databaseUrl)}\n`);
    return 1;
  }
}

/** Returns a record as aligned lines. */
function table(result: Result): string {
  return Object.entries(result)
    .map(([key, value]) => (isRecords(value) ? `${key}\n${columns(value)}` : fields({ [key]: value }, result)))
    .join('');
}

function isRecords(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isPlainObject(item));
}

/** Records under one another, a column for each key that holds no object. */
function columns(records: readonly Record<string, unknown>[]): string {
  const names = Object.keys(records[0] ?? {}).filter((name) => !records.some((record) => isPlainObject(record[name])));
  const lines = [names, ...records.map((record) => names.map((name) => cell(record[name])))];
  const widths = names.map((_name, at) => Math.min(40, Math.max(...lines.map((line) => (line[at] ?? '').length))));
  return lines
    .map(
      (line) =>
        `  ${line
          .map((words, at) => words.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function fields(part: Result, result: Result): string {
  const entries = Object.entries(part);
  const width = Math.max(0, ...Object.keys(result).map((key) => key.length));
  return entries.map(([key, value]) => `${key.padEnd(width)}  ${cell(value)}\n`).join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
