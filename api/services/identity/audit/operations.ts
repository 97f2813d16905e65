import { choice, datetime, described, input, integer, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { pagingQuery } from '../../../core/http/paging';
import { isoTime, wire } from '../../../core/http/shapes';
import { userFromJson } from '../members/userColumns';
import { userObject, userObjectShape } from '../members/userObject';
import { listSecurity, memberAudit } from './security';
import { auditOutcomes, listCalls, type AuditRow } from './service';

/** A call of an agent. */
export const callShape = wire.named('AuditEntry', {
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
  address: wire.text('The network of the call: an IPv4 address or an IPv6 /64.'),
  program: wire.text('What the program that called calls itself.'),
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
    address: row.address,
    program: row.program,
    created_at: isoTime(row.created_at),
  };
}

/** One line of either list. */
export const entryShape = wire.either('AuditLogEntry', callShape, memberAudit.schema);

/** What agents did (contract 11), and what members, their keys and the operator did; dashboard sessions only. */
export const auditOperations = [
  operation({
    id: 'auditLog.list',
    method: 'GET',
    path: '/api/v1/audit-log/',
    tag: 'Agents',
    summary: 'List what agents, members and keys did',
    description:
      'Every call of a tool with its outcome and duration, newest first; only a hash of the arguments is kept. With ' +
      '`actor=member` what members, API keys and the operator did that bears on safety: sign-ins, members, keys, ' +
      'agents, webhooks, settings, approvals, exports, erasures.',
    scope: 'workspace.manage',
    audience: 'session',
    query: input({
      actor: described(choice(['agent', 'member']), 'Whose doings: those of agents, unless `action` is given.'),
      action: described(text({ max: 64 }), 'Only this action of members and keys, for example `signIn`.'),
      member_id: described(integer({ min: 1 }), 'Only what this member did, or an agent or key of theirs.'),
      created_after: described(datetime(), 'From this time on.'),
      created_before: described(datetime(), 'Before this time.'),
      tool: described(text({ max: 64 }), 'Only calls of this tool.'),
      outcome: described(choice(auditOutcomes), 'Only calls that ended like this.'),
      ...pagingQuery,
    }),
    status: 200,
    output: wire.page(entryShape),
    run: async (ctx, query) => {
      if ((query.actor ?? (query.action ? 'member' : 'agent')) === 'member') {
        const page = await listSecurity(ctx, query);
        return { ...page, items: page.items.map(memberAudit.serialize) };
      }
      const page = await listCalls(ctx, query);
      return { ...page, items: page.items.map(serializeCall) };
    },
  }),
];
