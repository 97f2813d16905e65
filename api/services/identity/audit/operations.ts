import { choice, described, input, text } from '../../../core/http/fields';
import { operation, type Operation } from '../../../core/http/operations';
import { pagingQuery } from '../../../core/http/paging';
import { isoTime, wire } from '../../../core/http/shapes';
import { userFromJson } from '../members/userColumns';
import { userObject, userObjectShape } from '../members/userObject';
import { auditOutcomes, listCalls, type AuditRow } from './service';

const auditShape = wire.named('AuditEntry', {
  id: wire.integer(),
  connection: wire.named('Connection', {
    kind: wire.oneOf(['api_key', 'oauth']),
    id: wire.integer(),
    name: wire.text(),
  }),
  member: wire.nullable(userObjectShape),
  tool: wire.text(),
  arguments_sha256: wire.text(),
  outcome: wire.oneOf(auditOutcomes),
  detail: wire.text(),
  duration_ms: wire.integer(),
  request_id: wire.text(),
  created_at: wire.datetime(),
});

function serializeCall(row: AuditRow): Record<string, unknown> {
  return {
    id: row.id,
    connection: { kind: row.connection_kind, id: row.connection_id, name: row.connection_name },
    member: row.member === null ? null : userObject(userFromJson(row.member)),
    tool: row.tool,
    arguments_sha256: row.arguments_digest.toString('hex'),
    outcome: row.outcome,
    detail: row.detail,
    duration_ms: row.duration_ms,
    request_id: row.request_id,
    created_at: isoTime(row.created_at),
  };
}

/** The audit log of agents (contract 11); dashboard sessions only. */
export const auditOperations: readonly Operation[] = [
  operation({
    id: 'auditLog.list',
    method: 'GET',
    path: '/api/v1/audit-log/',
    tag: 'Agents',
    summary: 'List the tool calls of agents',
    description:
      'Every call of a tool with its outcome and duration, newest first. Only a hash of the arguments is kept.',
    scope: 'workspace.manage',
    audience: 'session',
    query: input({
      tool: described(text({ max: 64 }), 'Only calls of this tool.'),
      outcome: described(choice(auditOutcomes), 'Only calls that ended like this.'),
      ...pagingQuery,
    }),
    status: 200,
    output: wire.page(auditShape),
    run: async (ctx, query) => {
      const page = await listCalls(ctx, query);
      return { ...page, items: page.items.map(serializeCall) };
    },
  }),
];
