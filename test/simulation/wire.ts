import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Party } from './world';

export type Callback = (error: unknown, result?: unknown) => void;
export type Query = { readonly text: string; readonly values?: readonly unknown[]; readonly name?: string };

/** What is known of a connection that a simulated process has. */
export type Connection = pg.Client & {
  owner?: Party;
  processID: number;
  _txStatus: string | null;
  idleSinceMs?: number;
  /** Whether it was lost while its process lives: answers that are on their way do not arrive. */
  isCut?: boolean;
  /** Statements that wait until the one before is answered: the driver sends them one after the other. */
  queued?: (() => void)[];
};

export const noLimits =
  'SET statement_timeout TO 0; SET lock_timeout TO 0; SET idle_in_transaction_session_timeout TO 0';
/** What connections are told once they are there: no boundary of the service's. */
export const isSetUp = (text: string): boolean => /^SET |^WITH ranges/.test(text);

export const shortened = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 110);

/** Whether a statement is about a transaction's number, which the server gives to all databases together. */
const namesTransaction = (text: string): boolean => /pg_xact_status|pg_current_xact_id/.test(text);

export function valuesMark({ text, values }: Query): string {
  if (!values?.length || namesTransaction(text)) return '';
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 6);
}

/** The driver's own connection, which its types do not tell. */
interface Wire {
  removeAllListeners(): void;
  readonly stream: NodeJS.EventEmitter & { destroy(): void };
}

const wireOf = (connection: Connection): Wire => (connection as unknown as { connection: Wire }).connection;

/** Lets a dead process hear nothing more of its connection. */
export function silence(connection: Connection): void {
  const wire = wireOf(connection);
  connection.removeAllListeners();
  wire.removeAllListeners();
  wire.stream.removeAllListeners();
  wire.stream.on('error', () => undefined);
}

/** Closes a connection: the server ends what it had begun as soon as it has time. */
export function hangUp(connection: Connection): void {
  wireOf(connection).stream.destroy();
}

/** Whether a look has changed rows that others may have to react to. */
export function hasChanged({ text }: Query, result: unknown): boolean {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const { command = '', rowCount = 0 } = (last ?? {}) as { command?: string; rowCount?: number | null };
  return ['INSERT', 'UPDATE', 'DELETE'].includes(command) && (rowCount ?? 0) > 0 && !/^UPDATE intake_clock/.test(text);
}

/** Names the arrival of an answer. */
export const arrivalOf = (error: unknown, { text }: Query): string =>
  error ? `fails: ${codeOf(error)}` : `answered: ${text.replace(/\s+/g, ' ').trim().slice(0, 40)}`;

/** Passes an answer on; of a connection that was lost meanwhile nobody learns whether the statement was done. */
export function passOn({ isCut }: Connection, callback: Callback, error: unknown, result: unknown): void {
  if (isCut && !error) callback(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  else callback(error, result);
}

/** What the server says where its own limit of waiting for a lock is met. */
export function asLockTimeout(error: unknown): unknown {
  return Object.assign(error as object, {
    code: '55P03',
    message: 'canceling statement due to lock timeout',
  });
}

export function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message ?? '');
}
