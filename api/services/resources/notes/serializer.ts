import { from, shapeOf, wire } from '../../../core/http/shapes';
import { userFromJson, type UserJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';

/** A note with who wrote it. */
export interface NoteView {
  readonly id: number;
  readonly receiver_id: string;
  readonly body: string;
  readonly mentioned_ids: readonly number[];
  readonly author: UserJson | null;
  readonly created_at: Date;
}

/** A note (contract 18.1). */
export const { schema: noteShape, serialize: serializeNote } = shapeOf<NoteView>('Note').with({
  id: wire.integer(),
  receiver_id: wire.text('Whose conversation it stands beside.'),
  body: wire.text(),
  mentioned_ids: wire.list(wire.integer('The `id` of a member who was mentioned.')),
  author: from(wire.nullable(userObjectShape), (note) =>
    note.author === null ? null : userObject(userFromJson(note.author)),
  ),
  created_at: wire.datetime(),
});
