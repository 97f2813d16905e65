import type { CannedReplyRow } from '../../../../models';
import { from, shapeOf, wire } from '../../../core/http/shapes';

/** A reply, filled in where it was asked for beside a contact. */
export type ReplyView = CannedReplyRow & { readonly filled: string | null };

/** A canned reply (contract 18.2). */
export const { schema: replyShape, serialize: serializeReply } = shapeOf<ReplyView>('CannedReply').with({
  id: wire.integer(),
  shortcut: wire.text(),
  body: wire.text(),
  is_shared: from(wire.boolean('Whether it is the team’s.'), ({ member_id: member }) => member === null),
  filled: wire.nullable(wire.text('The text for the contact that was named.')),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
