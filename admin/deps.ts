import { InvalidArgumentError, type Command } from 'commander';
import { systemActor, systemCtx, type Ctx } from '../api/core/context';
import { parseDatetime } from '../api/core/http/datetimes';
import type { Runtime } from '../api/core/runtime';
import { recordSecurity, type Recorder } from '../api/services/identity/securityLog/service';
import { getWorkspace } from '../api/services/identity/workspaces/service';

/** What a command answers: printed as one JSON object with `--json`, else as a short table. */
export type Result = Readonly<Record<string, unknown>>;

/**
 * What every command is given. A new command is one file with `register(program, deps)`; one that changes something
 * does it in `recorded`.
 */
export interface Deps {
  /** Runs the work with a runtime, prints its result and closes every connection. */
  run(work: (runtime: Runtime) => Promise<Result>): Promise<void>;
  /** A line for people, on stderr. */
  note(line: string): void;
  /** Draws on the terminal behind stderr; false where there is none, or with `--json`: then nothing was written. */
  draw(text: string): boolean;
  /** Reads an option's value that is a secret: `-` is the next line of standard input, out of sight of `ps`. */
  secret(value: string): string;
  /** Returns whether stdout is for one JSON object only. */
  json(): boolean;
}

/** What the CLI calls itself in the log of what happened. */
export const cliRequestId = 'admin-cli';

/** Returns a context of the workspace for a command; throws when there is no such workspace. */
export async function ctxOf(runtime: Runtime, workspaceId: number): Promise<Ctx> {
  const ctx = systemCtx(runtime, workspaceId, cliRequestId);
  await getWorkspace(ctx);
  return ctx;
}

/** Returns who records what a command does to the whole installation. */
export function installationOf(runtime: Runtime): Recorder {
  return { runtime, workspaceId: null, actor: systemActor, requestId: cliRequestId };
}

/**
 * Does what changes something in a transaction that also writes it into the security log, by the name that the API has
 * for it; options that hold secrets are left out. Its subject is the id in the answer, unless another one is given.
 */
export async function recorded<T extends object>(
  recorder: Recorder,
  action: string,
  options: object,
  work: () => Promise<T>,
  subjectId?: number,
): Promise<T> {
  return recorder.runtime.db.transaction(async () => {
    const done = await work();
    const made = 'id' in done && typeof done.id === 'number' ? done.id : null;
    await recordSecurity(recorder, { action, subjectId: subjectId ?? made, given: { ...options } });
    return done;
  });
}

/** Returns the command group of this name, made when it is not there yet: several files add to one word. */
export function group(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}

/** Reads an option's value that is an id. */
export function id(value: string): number {
  const number = Number(value);
  if (!/^\d{1,10}$/.test(value) || number < 1 || number > 2_147_483_647)
    throw new InvalidArgumentError('Give the integer that the create command printed as id.');
  return number;
}

/** Reads an option's value that is an instant. */
export function instant(value: string): Date {
  const parsed = parseDatetime(value);
  if (!parsed) throw new InvalidArgumentError('Give an ISO 8601 datetime, for example 2030-01-31T12:00:00Z.');
  return parsed;
}

/** Reads an option's value that is true or false. */
export function yesOrNo(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new InvalidArgumentError('Give true or false.');
  return value === 'true';
}

/** Gathers a repeated option's values. */
export function repeated(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** Gathers a repeated option's ids. */
export function repeatedIds(value: string, previous: readonly number[] | undefined): number[] {
  return [...(previous ?? []), id(value)];
}

/** Refuses a command that would change nothing. */
export function requireSome(options: Readonly<Record<string, unknown>>): void {
  if (Object.values(options).every((value) => value === undefined))
    throw new Error('Nothing to change: give at least one option (see --help).');
}

/** What `key revoke` and `member update` leave as it is. */
export interface KeptOptions {
  readonly keepWebhooks?: boolean;
  readonly keepBroadcasts?: boolean;
}

export const keepWebhooks = ['--keep-webhooks', 'webhooks that were made with what is taken go on'] as const;
export const keepBroadcasts = ['--keep-broadcasts', 'broadcasts that were scheduled with it stay scheduled'] as const;

/** Returns what goes on, as the service takes it. */
export function keptOf(options: KeptOptions): { keepWebhooks: boolean; keepBroadcasts: boolean } {
  return { keepWebhooks: options.keepWebhooks === true, keepBroadcasts: options.keepBroadcasts === true };
}
