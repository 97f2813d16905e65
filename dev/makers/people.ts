/*
 * People by the hundred, for tests and figures: the services would take hours. Numbers stand in the statements
 * themselves, so that they can be a part of any other, whatever is bound there.
 */

/** Contacts of a workspace, numbered from `from` on; the phone of the nth is `firstPhone + n`. */
interface People {
  readonly workspaceId: number;
  readonly count: number;
  readonly firstPhone: number;
  /** The number of the first; zero unless told. */
  readonly from?: number;
  /** What they are called before their number. */
  readonly name?: string;
  /** SQL: the tags of the nth, as JSON. */
  readonly tags?: string;
}

/** SQL: makes contacts, of whom `made` has the ids and phones. */
export const contactsSql = ({ workspaceId, count, firstPhone, from = 0, name = 'Contact', tags }: People): string =>
  `made AS (
     INSERT INTO contacts (workspace_id, receiver_id, phone, name, tags)
     SELECT ${workspaceId}, phone, phone, '${name} ' || n, ${tags ?? "'[]'"}::jsonb
     FROM generate_series(${from}::int, ${from + count - 1}::int) AS n,
       LATERAL (SELECT (${firstPhone}::bigint + n)::text AS phone) AS told
     RETURNING id, phone
   )`;

/** SQL: the same with a conversation each, of which `opened` has the ids. */
export const peopleSql = (people: People): string =>
  `${contactsSql(people)}, opened AS (
     INSERT INTO conversations (id, workspace_id, contact_id)
     SELECT id, ${people.workspaceId}, id FROM made ORDER BY id RETURNING id, workspace_id
   )`;

/** SQL: lets the customers of conversations, which `from` names, write: whoever has written may be told of a stage. */
export const writtenSql = (from: string): string =>
  `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status)
   SELECT workspace_id, id, 'inbound', 'text', '{}', 'received' FROM ${from}`;

/** SQL: makes colleagues who may do what an agent may. */
export const membersSql = (workspaceId: number, count: number): string =>
  `INSERT INTO members (workspace_id, email, name, role)
   SELECT ${workspaceId}, 'colleague' || n || '@w${workspaceId}.test', 'Colleague ' || n, 'agent'
   FROM generate_series(1, ${count}::int) AS n`;
