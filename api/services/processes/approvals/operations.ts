import { choice, described, input, nullable, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { pagingQuery } from '../../../core/http/paging';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { decidingScopes } from './calls';
import { approvalSendShape, shownSends } from './shownSends';
import { failedShape } from '../macroRuns/serializer';
import { userFromJson, type UserJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';
import { answerInstead } from './answer';
import { approvalStatuses, approve, getApproval, listApprovals, reject, type ApprovalRow } from './service';

/** The field by which a decision says what its member was shown. */
const digestOfShown = described(nullable(text({ max: 64 })), '`digest` of what was shown; another one is a 409.');

/** A parked call. */
export const { schema: approvalShape, serialize: serializeApproval } = shapeOf<ApprovalRow>('Approval').with({
  id: wire.integer(),
  connection: from(
    wire.named('ApprovalAsker', {
      kind: wire.oneOf(['api_key', 'oauth', 'rule']),
      id: wire.integer(),
      name: wire.text(),
    }),
    (row) => ({ kind: row.connection_kind, id: row.connection_id, name: row.connection_name }),
  ),
  requested_by: from(wire.nullable(userObjectShape), (row) => personOf(row.requested_by)),
  autonomy: wire.oneOf(['draft', 'approval']),
  tool: wire.text(),
  arguments: from(wire.map('The exact call that was parked.'), ({ input: given }) => given),
  macro_name: wire.nullable(wire.text()),
  steps: wire.nullable(wire.list(wire.named('MacroAction', { type: wire.text(), params: wire.map() }))),
  sends: from(wire.list(approvalSendShape), ({ frozen }) => shownSends(frozen)),
  digest: wire.text(),
  status: wire.oneOf(approvalStatuses),
  expires_at: wire.nullable(wire.datetime()),
  decided_by: from(wire.nullable(userObjectShape), (row) => personOf(row.decided_by)),
  decided_at: wire.nullable(wire.datetime()),
  result: from(
    wire.any('What the call gave, once approved; of a rejected one the message that was sent in its place.'),
    ({ result }) => result ?? null,
  ),
  note: wire.nullable(wire.text('Why it was rejected, as the member says.')),
  required_scopes: from(wire.list(wire.text()), decidingScopes),
  created_at: wire.datetime(),
});

function personOf(member: UserJson | null): ReturnType<typeof userObject> | null {
  return member === null ? null : userObject(userFromJson(member));
}

/** Parked calls of agents (contract 11); decided by members in the dashboard, never by a credential of an agent. */
export const approvalOperations = [
  operation({
    id: 'approvals.list',
    method: 'GET',
    path: '/api/v1/approvals/',
    tag: 'Agents',
    summary: 'List calls of agents that need approval',
    description: 'Messages, macros and ticket moves that an agent asked for, with the decisions that were made.',
    scope: 'chat.view',
    audience: 'session',
    query: input({ status: described(choice(approvalStatuses), 'Only calls in this state.'), ...pagingQuery }),
    status: 200,
    output: wire.page(approvalShape),
    run: async (ctx, query) => {
      const page = await listApprovals(ctx, query);
      return { ...page, items: page.items.map(serializeApproval) };
    },
  }),
  operation({
    id: 'approvals.get',
    method: 'GET',
    path: '/api/v1/approvals/{id}/',
    intParams: ['id'],
    tag: 'Agents',
    summary: 'Read a call that needs approval',
    description: 'What the agent wants to do, for whom, and what was decided.',
    scope: 'chat.view',
    audience: 'session',
    status: 200,
    output: approvalShape,
    run: async (ctx, { id }) => serializeApproval(await getApproval(ctx, id)),
  }),
  operation({
    id: 'approvals.approve',
    method: 'POST',
    path: '/api/v1/approvals/{id}/approve/',
    intParams: ['id'],
    tag: 'Agents',
    summary: 'Approve a call and make it',
    description:
      'What was parked is sent as it is shown in `sends`. The window, the opt-out and the connection are checked ' +
      'again: if one of them forbids the call, it stays undecided. If a template, stage or macro has changed since, ' +
      'the call expires.',
    scope: 'chat.view',
    audience: 'session',
    body: input({
      digest: digestOfShown,
    }),
    status: 200,
    output: approvalShape,
    refusal: failedShape,
    conflicts: {
      when:
        'It was decided before, has expired, its connection is gone, `digest` is another one, or a template, ' +
        'stage or macro has changed since it was shown.',
      example: 'This approval has expired.',
    },
    examples: { request: {} },
    locate: (ctx, params) => getApproval(ctx, params.id),
    run: async (ctx, { id, digest }) => serializeApproval(await approve(ctx, id, digest)),
  }),
  operation({
    id: 'approvals.reject',
    method: 'POST',
    path: '/api/v1/approvals/{id}/reject/',
    intParams: ['id'],
    tag: 'Agents',
    summary: 'Reject a call',
    description: 'Nothing is sent.',
    scope: 'chat.view',
    audience: 'session',
    body: input({
      note: described(
        nullable(text({ max: 500 })),
        'Why; kept with the decision, which subscribers are told.',
        'We never promise a date.',
      ),
    }),
    status: 200,
    output: approvalShape,
    conflicts: { when: 'It was decided before or has expired.', example: 'This approval was already approved.' },
    examples: { params: { id: 2 }, request: {} },
    locate: (ctx, params) => getApproval(ctx, params.id),
    run: async (ctx, { id, note }) => serializeApproval(await reject(ctx, id, note)),
  }),
  operation({
    id: 'approvals.answer',
    method: 'POST',
    path: '/api/v1/approvals/{id}/answer/',
    intParams: ['id'],
    tag: 'Agents',
    summary: 'Send another text in the place of a call',
    description:
      "Of a text message only. The text is sent to the same customer as the member's own message, and the call is " +
      'rejected; both or neither.',
    scope: 'chat.view',
    audience: 'session',
    body: input({
      text: described(required(text({ max: 4_096, blank: false })), 'What is sent.', 'It arrives on Friday.'),
      digest: digestOfShown,
    }),
    status: 200,
    output: approvalShape,
    conflicts: {
      when: 'It was decided before, has expired, or `digest` is another one.',
      example: 'This approval was already approved.',
    },
    examples: { params: { id: 3 }, request: { text: 'It arrives on Friday.' } },
    locate: (ctx, params) => getApproval(ctx, params.id),
    run: async (ctx, { id, ...given }) => serializeApproval(await answerInstead(ctx, id, given)),
  }),
];
