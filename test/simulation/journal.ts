import type { Party, World } from './world';

/** A message that a process took for one call. */
export interface Claim {
  readonly id: string;
  readonly attempts: number;
  readonly by: Party;
  readonly opaque: string;
  /** Null where the message keeps no order with others. */
  readonly conversationId: string | null;
  readonly atMs: number;
  /** When its outcome was recorded, or it was settled without one. */
  endMs: number;
  /** What came between, so that its process could not record the outcome of its call. */
  excuse: 'died' | 'froze' | 'cut off' | null;
}

/** An outcome that a process recorded of its call. */
interface Recorded {
  readonly id: string;
  readonly attempts: number;
  readonly kind: string;
  readonly waitMs: number;
  readonly atMs: number;
}

/** A status of the platform's that was written to its message. */
interface Spoken {
  readonly id: string;
  readonly atMs: number;
}

/** An intent that a change committed. */
interface Intended {
  readonly workflowId: string;
  readonly version: number;
  readonly atMs: number;
}

/** Two contacts that became one; a contact and its conversation have one id. */
interface Merged {
  readonly kept: string;
  readonly gone: string;
  readonly atMs: number;
}

/** Events of the platform that a drainer took. */
interface Taken {
  readonly by: Party;
  readonly atMs: number;
  readonly events: readonly { readonly id: string; readonly customer: string; readonly attempts: number }[];
}

/** A page of a history that a statement moved. */
interface Page {
  readonly workspaceId: string;
  readonly count: number;
  readonly atMs: number;
}

interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Whether its transaction is still open. */
  readonly isOpen: boolean;
}

type Row = Readonly<Record<string, unknown>>;
type Change = () => void;

const claims = /SET delivery_state = 'sending', attempts = m\.attempts \+ 1|'sending', gen_random_uuid\(\), 1,/;
const outcomes = /o\(id bigint, attempts int, kind text/;
const settles = /SET delivery_state = 'settled', claim_expires_at = NULL/;
const intents = /INSERT INTO outbox \(/;
const merges = /FROM jsonb_populate_record\(NULL::contacts/;
const leases = /UPDATE inbox_events i SET attempts = i\.attempts \+ 1/;
const passes = /SET conversation_id = \$\d+, send_seq = send_seq \+/;
const statuses = /wamid = coalesce\(m\.wamid, u\.wamid\)/;

/**
 * What became of messages, written down as the statements of processes commit: what a run looks like at its end does
 * not say who had what at which moment.
 */
export class Journal {
  readonly claims: Claim[] = [];
  readonly recorded: Recorded[] = [];
  readonly spoken: Spoken[] = [];
  readonly intended: Intended[] = [];
  readonly merged: Merged[] = [];
  readonly taken: Taken[] = [];
  readonly pages: Page[] = [];
  /** What transactions have changed that are still open. */
  private readonly open = new Map<object, Change[]>();

  constructor(private readonly world: World) {}

  note(connection: object, owner: Party, statement: Statement, error: unknown, result: unknown): void {
    const { text, isOpen } = statement;
    if (error || /^ROLLBACK/.test(text)) {
      if (!isOpen) this.open.delete(connection);
      return;
    }
    if (passes.test(text)) this.pages.push(this.pageOf(statement, result));
    const changes = this.changesOf(owner, statement, rowsOf(result));
    const before = this.open.get(connection) ?? [];
    if (isOpen) {
      if (changes.length > 0) this.open.set(connection, [...before, ...changes]);
      return;
    }
    this.open.delete(connection);
    for (const change of [...before, ...changes]) change();
  }

  /** Drops what a connection had not committed. */
  forget(connection: object): void {
    this.open.delete(connection);
  }

  /** What a process has claimed and not recorded at this moment, nobody can tell the outcome of. */
  excuse(owner: Party, why: NonNullable<Claim['excuse']>): void {
    for (const claim of this.claims) if (claim.by === owner && claim.endMs === Infinity) claim.excuse ??= why;
  }

  private changesOf(owner: Party, { text, values = [] }: Statement, rows: readonly Row[]): Change[] {
    const atMs = this.world.nowMs;
    if (claims.test(text))
      return rows.filter(({ kind }) => kind !== 'skipped').map((row) => () => this.claim(owner, row, atMs));
    if (outcomes.test(text)) return listIn(values).map((row) => () => this.record(row, atMs));
    if (settles.test(text)) return rows.map((row) => () => this.end(String(row['id']), null));
    if (statuses.test(text))
      return listIn(values).map((row) => () => this.spoken.push({ id: String(row['id']), atMs }));
    if (leases.test(text)) return [() => this.taken.push(takenOf(owner, rows, atMs))];
    if (merges.test(text)) return [() => this.merge(values)];
    if (intents.test(text)) return listIn(values).map((row) => () => this.intend(row));
    return [];
  }

  private pageOf({ text, values = [] }: Statement, result: unknown): Page {
    return {
      workspaceId: String(values[Number(/workspace_id = \$(\d+)/.exec(text)?.[1]) - 1]),
      count: (result as { rowCount: number | null } | undefined)?.rowCount ?? 0,
      atMs: this.world.nowMs,
    };
  }

  private intend({ id, version }: Row): void {
    this.intended.push({ workflowId: String(id), version: Number(version), atMs: this.world.nowMs });
  }

  /** Notes a merge, by the row that goes and the id of the one that stays, which the statement names last. */
  private merge(values: readonly unknown[]): void {
    const gone = values.find((value): value is string => typeof value === 'string' && value.startsWith('{'));
    const { id } = JSON.parse(gone ?? '{}') as Row;
    this.merged.push({ kept: String(values.at(-1)), gone: String(id), atMs: this.world.nowMs });
  }

  private claim(owner: Party, row: Row, atMs: number): void {
    this.claims.push({
      id: String(row['id']),
      attempts: Number(row['attempts']),
      by: owner,
      opaque: String(row['opaque']),
      conversationId: (row['send_seq'] ?? null) === null ? null : String(row['conversation_id']),
      atMs,
      endMs: Infinity,
      // It waited for a lock while its process came to a stop.
      excuse: !owner.alive ? 'died' : owner.asleepUntilMs > this.world.nowMs ? 'froze' : null,
    });
  }

  private record(row: Row, atMs: number): void {
    const [id, attempts] = [String(row['id']), Number(row['attempts'])];
    // A write that was not answered comes again, and changes nothing then.
    if (!this.recorded.some((one) => one.id === id && one.attempts === attempts))
      this.recorded.push({ id, attempts, kind: String(row['kind']), waitMs: Number(row['waitMs'] ?? 0), atMs });
    this.end(id, attempts);
  }

  /** Ends the claims of a message; of one attempt, or of all. */
  private end(id: string, attempts: number | null): void {
    for (const claim of this.claims)
      if (claim.id === id && (attempts === null || claim.attempts === attempts))
        claim.endMs = Math.min(claim.endMs, this.world.nowMs);
  }
}

function takenOf(by: Party, rows: readonly Row[], atMs: number): Taken {
  const events = rows
    .filter(({ kind }) => kind !== 'status')
    .map((row) => ({
      id: String(row['id']),
      customer: row['order_key'] === '' ? '' : `${String(row['workspace_id'])}/${String(row['order_key'])}`,
      attempts: Number(row['attempts']),
    }));
  return { by, atMs, events };
}

/** Returns the rows of an answer; of several statements, those of the last. */
function rowsOf(result: unknown): readonly Row[] {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  return (last as { rows?: Row[] } | undefined)?.rows ?? [];
}

/** Returns the list that a statement was given as one value. */
function listIn(values: readonly unknown[]): readonly Row[] {
  for (const value of values)
    if (typeof value === 'string' && value.startsWith('[{')) return JSON.parse(value) as readonly Row[];
  return [];
}
