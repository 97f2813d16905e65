import fs from 'node:fs';
import path from 'node:path';

/** Writes one line with the seconds since the beginning. */
export type Log = (line: string) => void;

/** What dev/bootstrap hands to a launcher. */
export interface Launcher {
  readonly log: Log;
  /** The process that started us, when it did. */
  readonly parentPid: number;
  /** What `--help` prints; empty where the command has its own. */
  readonly usage: string;
}

/** The repository's folder: this file is run from dist/dev, and read by tests from dev. */
export const root = findRoot(__dirname);

function findRoot(folder: string): string {
  return fs.existsSync(path.join(folder, 'package-lock.json')) ? folder : findRoot(path.dirname(folder));
}

/** The simulation as a program: it runs outside of jest, whose modules and timers are its own. */
export const simulationScript = path.join(root, 'dist', 'test', 'simulation', 'main.js');

/** An error whose message is meant for the person at the terminal: it is printed without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Prints an error as its reader needs it: our own as one message, an unexpected one with its stack. */
export function printError(error: unknown): void {
  console.error(`\n${error instanceof UserError ? error.message : ((error as Error)?.stack ?? String(error))}`);
}

/** Returns an error's code, as Node's own errors have it; else an empty text. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown })?.code;
  return typeof code === 'string' ? code : '';
}

/** Returns an error's message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
