import type { Sequelize } from 'sequelize';

export const name = '2026-11-22-one-number';

/** Gives each conversation the id of its contact, with everything that names it. Keys are dropped while ids change places. */
export async function up(sequelize: Sequelize): Promise<void> {
  await sequelize.query(`
ALTER TABLE messages DROP CONSTRAINT messages_conversation_id_fkey;
ALTER TABLE conversation_windows DROP CONSTRAINT conversation_windows_conversation_id_fkey;
ALTER TABLE conversation_windows DROP CONSTRAINT conversation_windows_pkey;
ALTER TABLE conversations DROP CONSTRAINT conversations_pkey;
ALTER TABLE conversations ALTER COLUMN id DROP IDENTITY IF EXISTS;
ALTER TABLE conversations ALTER COLUMN id DROP DEFAULT;

UPDATE messages m SET conversation_id = v.contact_id
FROM conversations v WHERE v.id = m.conversation_id AND v.id <> v.contact_id;
UPDATE conversation_windows w SET conversation_id = v.contact_id
FROM conversations v WHERE v.id = w.conversation_id AND v.id <> v.contact_id;
UPDATE macro_runs r SET conversation_id = v.contact_id
FROM conversations v WHERE v.id = r.conversation_id AND v.id <> v.contact_id;
UPDATE events e SET subject_id = v.contact_id
FROM conversations v WHERE e.subject_type = 'conversation' AND v.id = e.subject_id AND v.id <> v.contact_id;
-- A former id of a contact is a former id of its conversation now; the old numbers of conversations are others' today.
DELETE FROM contact_aliases WHERE kind = 'conversation_id';
UPDATE conversations SET id = contact_id WHERE id <> contact_id;

ALTER TABLE conversations ADD PRIMARY KEY (id);
ALTER TABLE conversations ADD CONSTRAINT conversations_one_number CHECK (id = contact_id);
ALTER TABLE conversation_windows ADD PRIMARY KEY (conversation_id, phone_number_id);
ALTER TABLE conversation_windows ADD CONSTRAINT conversation_windows_conversation_id_fkey
  FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE;
ALTER TABLE messages ADD CONSTRAINT messages_conversation_id_fkey
  FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE;
`);
}
