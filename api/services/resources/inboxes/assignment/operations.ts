import { assignmentModes } from '../../../../../models/enums';
import {
  choice,
  described,
  input,
  integer,
  list,
  nullable,
  object,
  pk,
  required,
  text,
} from '../../../../core/http/fields';
import { operation } from '../../../../core/http/operations';
import { wire } from '../../../../core/http/shapes';
import { findContact } from '../../contacts/service';
import { getInbox } from '../service';
import { noteShape, serializeNote } from '../../notes/serializer';
import { readNote } from '../../notes/service';
import { handOver } from './handover';
import { changeAssignment, readAssignment, type AssignmentState } from './service';

const capacityWords = 'Open conversations of this team inbox that they are given at most; null: as many as come.';
const assignment = {
  path: '/api/v1/team-inboxes/{id}/assignment/',
  intParams: ['id'],
  tag: 'Team',
  scope: 'workspace.manage',
  audience: 'session',
} as const;

const whose = '`id` of a member who sits in it.';

export const assignmentShape = wire.named('TeamInboxAssignment', {
  mode: wire.oneOf(assignmentModes),
  capacities: wire.list(
    wire.named('TeamInboxCapacity', { member_id: wire.integer(whose), capacity: wire.nullable(wire.integer()) }),
  ),
  members: wire.list(
    wire.named('TeamInboxSeat', {
      member_id: wire.integer(whose),
      is_present: wire.boolean('Active and not away.'),
      open: wire.integer('Open conversations of this team inbox that they have.'),
    }),
  ),
  waiting: wire.integer('Open conversations of this team inbox that no member has yet.'),
});

const assignmentView = ({ mode, members, waiting }: AssignmentState): Record<string, unknown> => ({
  mode,
  capacities: members.map(({ memberId, capacity }) => ({ member_id: memberId, capacity })),
  members: members.map(({ memberId, isPresent, open }) => ({ member_id: memberId, is_present: isPresent, open })),
  waiting,
});

/** How team inboxes find members for their conversations, and handing over by hand (contract 18.7). */
export const assignmentOperations = [
  operation({
    ...assignment,
    id: 'teamInboxes.assignment',
    method: 'GET',
    summary: 'Read how a team inbox assigns',
    description: 'How its conversations find a member, who sits in it with how many, and how many wait.',
    status: 200,
    output: assignmentShape,
    examples: { params: { id: 2 } },
    locate: (ctx, { id }) => getInbox(ctx, id),
    run: async (ctx, { id }) => assignmentView(await readAssignment(ctx, id)),
  }),
  operation({
    ...assignment,
    id: 'teamInboxes.changeAssignment',
    method: 'PATCH',
    summary: 'Change how a team inbox assigns',
    description:
      'With `round_robin` each conversation that waits goes to the member who was given none for longest, with ' +
      '`balanced` to the one who has the fewest; never to who is away or has as many as they may. Members who are ' +
      'left out keep their capacity.',
    body: input({
      mode: described(choice(assignmentModes), 'How its conversations find a member.'),
      capacities: described(
        list(
          object(
            {
              member_id: required(described(pk(), whose)),
              capacity: required(nullable(described(integer({ min: 1, max: 10_000 }), capacityWords))),
            },
            'TeamInboxCapacityInput',
          ),
          { max: 1_000 },
        ),
        'Capacities of members who sit in it; those who are left out keep theirs.',
      ),
    }),
    status: 200,
    output: assignmentShape,
    examples: { params: { id: 2 }, request: { mode: 'balanced' } },
    locate: (ctx, { id }) => getInbox(ctx, id),
    run: async (ctx, { id, ...changes }) => assignmentView(await changeAssignment(ctx, id, changes)),
  }),
  operation({
    id: 'handovers.create',
    method: 'POST',
    path: '/api/v1/conversations/{receiver_id}/handover/',
    tag: 'Teamwork',
    scope: 'chat.assign',
    audience: 'session',
    summary: 'Hand a conversation over with a note',
    description:
      'To a member, a team inbox, or both, in one step. In a team inbox without a member it waits for one. The ' +
      'answer is the note; it stays in the team.',
    body: input({
      assigned_member: described(pk(), 'The `id` of the member.'),
      assigned_team_inbox: described(pk(), 'The `id` of the team inbox.'),
      note: described(required(text({ blank: false })), 'What they should know. `@` and a name tells that member.'),
    }),
    status: 201,
    output: noteShape,
    idempotent: 'atomic',
    examples: { request: { assigned_member: 1, note: 'Promised a new parcel by Friday.' } },
    locate: (ctx, { receiver_id }) => findContact(ctx, receiver_id),
    run: async (ctx, { receiver_id, ...handover }) => serializeNote(await handOver(ctx, receiver_id, handover)),
    reread: async (ctx, id) => serializeNote(await readNote(ctx, id)),
  }),
];
