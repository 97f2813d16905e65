import { ratings, type Rating } from '../../../../models/enums';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { userFromJson, type UserJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';

/** What a report says of the conversations of one group. */
export interface ReportRow {
  readonly key: string | null;
  /** Null where a group has no beginning of its own: of a member. */
  readonly started: number | null;
  readonly answered: number;
  readonly first_response_seconds: number | null;
  readonly resolved: number;
  readonly resolution_seconds: number | null;
  readonly rated: number;
  readonly satisfied: number;
  /** Null but of a day. */
  readonly open: number | null;
}

/** One row of a report (contract 18.5). */
export const { schema: reportShape, serialize: serializeReport } = shapeOf<ReportRow>('ReportRow').with({
  key: wire.nullable(wire.text('The day, the hour (0 to 23), `id` of member, inbox or broadcast, or tag; null: none.')),
  started: wire.nullable(wire.integer('Conversations that began. Null by member.')),
  answered: wire.integer('Those of them that the team has answered.'),
  first_response_seconds: wire.nullable(wire.integer('From the beginning to the first answer, on average.')),
  resolved: wire.integer('Those that are resolved or converted.'),
  resolution_seconds: wire.nullable(wire.integer('From the beginning until then, on average.')),
  rated: wire.integer('Those whose customer said how satisfied they are.'),
  satisfied: wire.integer('Those of them that were rated `good`.'),
  open: wire.nullable(wire.integer('By day: how many were open at its end. Null otherwise.')),
});

const outcomes = ['', 'resolved', 'converted', 'spam', 'merged', 'erased'] as const;

/** A conversation from its beginning to its end, with the names of what it refers to. */
export interface EpisodeView {
  readonly id: number;
  readonly receiver_id: string | null;
  readonly started_at: Date;
  readonly first_response_at: Date | null;
  readonly first_response_seconds: number | null;
  readonly answered_by: UserJson | null;
  readonly ended_at: Date | null;
  readonly ended_as: (typeof outcomes)[number];
  readonly resolution_seconds: number | null;
  readonly ended_by: UserJson | null;
  readonly team_inbox_id: number | null;
  readonly team_inbox_name: string | null;
  readonly rating: Rating | null;
  readonly rated_at: Date | null;
  readonly tags: unknown;
  readonly broadcast_id: number | null;
}

const member = (user: UserJson | null) => (user === null ? null : userObject(userFromJson(user)));

/** A conversation as reports count it (contract 18.5). */
export const { schema: episodeShape, serialize: serializeEpisode } = shapeOf<EpisodeView>('ReportedConversation').with({
  id: wire.integer(),
  receiver_id: wire.nullable(wire.text('Whose it is; null where the contact was erased.')),
  started_at: wire.datetime(),
  first_response_at: wire.nullable(wire.datetime()),
  first_response_seconds: wire.nullable(wire.integer()),
  answered_by: from(wire.nullable(userObjectShape), (row) => member(row.answered_by)),
  ended_at: wire.nullable(wire.datetime()),
  ended_as: wire.oneOf(outcomes),
  resolution_seconds: wire.nullable(wire.integer()),
  ended_by: from(wire.nullable(userObjectShape), (row) => member(row.ended_by)),
  team_inbox_id: wire.nullable(wire.integer()),
  team_inbox_name: wire.nullable(wire.text()),
  rating: wire.nullable(wire.oneOf(ratings)),
  rated_at: wire.nullable(wire.datetime()),
  tags: wire.any(),
  broadcast_id: wire.nullable(wire.integer()),
});
