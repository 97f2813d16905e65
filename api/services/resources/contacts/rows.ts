/** SQL: the contact `$contactId` wrote at `$at`; the earliest message counts, in whatever order they come. */
export const firstMessageSql = `
  UPDATE contacts
  SET first_message_at = least(first_message_at, $at), updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $contactId AND (first_message_at IS NULL OR first_message_at > $at)`;

/** SQL: opens the conversation of each contact of `contacts(id)`. A contact and its conversation have one id, and begin together. */
export function openConversationsSql(contacts: string): string {
  return `INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $workspaceId, id FROM ${contacts}`;
}
