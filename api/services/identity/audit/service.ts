import { createHash } from 'node:crypto';
import { cut } from '../../../core/text/cut';
import type { AuditEntryRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import type { Bind, Db } from '../../../core/db/database';
import { grouped } from '../../../core/queue/groupedCalls';
import { canonicalJson } from '../../../core/db/idempotency';
import type { Page } from '../../../core/http/operations';
import { kept } from '../../../core/runtime';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { userJsonSql, type UserJson } from '../members/userColumns';

export const auditOutcomes = ['ok', 'error', 'refused', 'dry_run', 'queued_for_approval'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/** The connection through which an agent called. */
export interface AuditConnection {
  readonly kind: 'api_key' | 'oauth';
  readonly id: number;
  readonly name: string;
}

export interface AuditEntry {
  readonly connection: AuditConnection;
  readonly tool: string;
  readonly args: unknown;
  readonly outcome: AuditOutcome;
  readonly detail?: string;
  readonly durationMs: number;
}

/**
 * Writes the row of one tool call and resolves once it is committed; arguments are kept as a digest only (contract 11).
 * Rows that come while a statement is under way go together with the next one.
 */
export function recordCall(ctx: Ctx, entry: AuditEntry): Promise<void> {
  return rowWriter(ctx.runtime)(bindOf(ctx, entry));
}

/**
 * Writes the row of a call in the transaction of its effect: both commit or neither does. Returns the transaction's
 * number, by which `hasCommitted` knows what became of it.
 */
export async function recordEffect(ctx: Ctx, entry: AuditEntry): Promise<string> {
  const [row] = await insertRows(ctx.runtime.db, [bindOf(ctx, entry)]);
  if (!row) throw new Error('the audit row was not stored');
  return row.xid;
}

function bindOf(ctx: Ctx, entry: AuditEntry): AuditBind {
  return {
    workspaceId: ctx.workspaceId,
    kind: entry.connection.kind,
    connectionId: entry.connection.id,
    name: cut(entry.connection.name, 255),
    memberId: ctx.actor.memberId,
    tool: cut(entry.tool, 64),
    digest: createHash('sha256').update(canonicalJson(entry.args)).digest(),
    outcome: entry.outcome,
    detail: cut(entry.detail ?? '', 500),
    durationMs: Math.max(0, Math.round(entry.durationMs)),
    requestId: ctx.requestId,
    address: cut(ctx.address ?? '', 64),
    program: cut(ctx.program ?? '', 255),
  };
}

type AuditBind = Readonly<Record<(typeof names)[number], unknown>>;

/** Rows of one statement; more than a process has calls under way, and far from the 65,535 values that one may bind. */
const maxRows = 200;
/** Writes rows together with others that come at the same time. */
const rowWriter = kept(({ db }) =>
  grouped<AuditBind>(async (rows) => void (await insertRows(db, rows)), { max: maxRows }),
);

const names = [
  'workspaceId',
  'kind',
  'connectionId',
  'name',
  'memberId',
  'tool',
  'digest',
  'outcome',
  'detail',
  'durationMs',
  'requestId',
  'address',
  'program',
] as const;
const statements = new Map<number, string>();

function insertStatement(count: number): string {
  const known = statements.get(count);
  if (known !== undefined) return known;
  const rows = Array.from({ length: count }, (_, index) => `(${names.map((name) => `$${name}${index}`).join(', ')})`);
  const statement = `INSERT INTO audit_log (workspace_id, connection_kind, connection_id, connection_name, member_id,
       tool, arguments_digest, outcome, detail, duration_ms, request_id, address, program)
     VALUES ${rows.join(', ')}
     RETURNING pg_current_xact_id()::text AS xid`;
  statements.set(count, statement);
  return statement;
}

/** Inserts rows in one statement, which a model's insert cannot: its answer is the number of the transaction. */
async function insertRows(db: Db, rows: readonly AuditBind[]): Promise<{ xid: string }[]> {
  const bind: Bind = {};
  rows.forEach((row, index) => {
    for (const name of names) bind[`${name}${index}`] = row[name];
  });
  return db.rows(insertStatement(rows.length), bind);
}

/** A row as the list shows it. */
export type AuditRow = Omit<AuditEntryRow, 'workspace_id' | 'member_id'> & { readonly member: UserJson | null };

const columns = { created_at: { sql: 'a.created_at', type: 'timestamptz' } } as const;

interface CallFilters extends PagingInput {
  readonly tool?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly member_id?: number | undefined;
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
}

/** Returns a page of the calls of a workspace's agents, newest first. */
export async function listCalls(ctx: Ctx, filters: CallFilters): Promise<Page<AuditRow>> {
  const { tool, outcome, member_id: memberId, created_after: after, created_before: before } = filters;
  return listPage<AuditRow>(
    ctx,
    {
      select: `a.connection_kind, a.connection_id, a.connection_name, ${userJsonSql('m')} AS member, a.tool,
        a.arguments_digest, a.outcome, a.detail, a.duration_ms, a.request_id, a.address, a.program, a.created_at`,
      from: 'audit_log a',
      joins: 'LEFT JOIN members m ON m.id = a.member_id',
      where: [
        'a.workspace_id = $workspaceId',
        ...(tool === undefined ? [] : ['a.tool = $tool']),
        ...(outcome === undefined ? [] : ['a.outcome = $outcome']),
        ...(memberId === undefined ? [] : ['a.member_id = $memberId']),
        ...(after === undefined ? [] : ['a.created_at >= $after']),
        ...(before === undefined ? [] : ['a.created_at < $before']),
      ],
      bind: {
        workspaceId: ctx.workspaceId,
        ...(tool === undefined ? {} : { tool }),
        ...(outcome === undefined ? {} : { outcome }),
        ...(memberId === undefined ? {} : { memberId }),
        ...(after === undefined ? {} : { after }),
        ...(before === undefined ? {} : { before }),
      },
      idSql: 'a.id',
      columns,
      defaultOrdering: '-created_at',
    },
    filters,
  );
}
