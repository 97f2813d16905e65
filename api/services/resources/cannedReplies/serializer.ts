import type { CannedReplyRow, StoredFileRow } from '../../../../models';
import { from, shapeOf, wire } from '../../../core/http/shapes';

/** A file of a reply. */
export type ReplyFile = Pick<StoredFileRow, 'public_id' | 'mime_type' | 'size' | 'filename'>;
/** A reply with its files, filled in where it was asked for beside a contact. */
export type ReplyView = CannedReplyRow & { readonly files: readonly ReplyFile[]; readonly filled: string | null };

/** A canned reply (contract 18.2). */
export const { schema: replyShape, serialize: serializeReply } = shapeOf<ReplyView>('CannedReply').with({
  id: wire.integer(),
  shortcut: wire.text(),
  body: wire.text(),
  media_ids: { ...wire.list(wire.text()), description: 'The ids of its files, in the order in which they are sent.' },
  files: from(
    {
      ...wire.list(
        wire.named('CannedReplyFile', {
          id: wire.text('Names the file in `media_ids`, and in a message.'),
          mime_type: wire.text('What its content is.'),
          size: wire.integer('In bytes.'),
          filename: wire.text('What it is called.'),
        }),
      ),
      description: 'Its files, in the same order.',
    },
    ({ files }) =>
      files.map(({ public_id: id, mime_type: type, size, filename }) => ({
        id,
        mime_type: type,
        size: size ?? 0,
        filename,
      })),
  ),
  is_shared: from(wire.boolean('Whether it is the team’s.'), ({ member_id: member }) => member === null),
  filled: wire.nullable(wire.text('The text for the contact that was named.')),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
