import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { findContact } from '../contacts/service';
import { createNoteInput, notesQuery } from './schema';
import { noteShape, serializeNote } from './serializer';
import { createNote, listNotes, readNote } from './service';

const common = { tag: 'Teamwork', scope: 'chat.view' } as const;
const path = '/api/v1/conversations/{receiver_id}/notes/';

/**
 * Notes beside a thread (contract 18.1): members' own, and those keys' that were made to read them; no tool and no
 * webhook has a way to one.
 */
export const noteOperations = [
  operation({
    ...common,
    path,
    audience: 'notes',
    id: 'notes.list',
    method: 'GET',
    summary: 'List the notes of a conversation, newest first',
    description: 'What members wrote for each other; notes are never sent anywhere.',
    query: notesQuery,
    status: 200,
    output: wire.page(noteShape),
    locate: (ctx, params) => findContact(ctx, params.receiver_id),
    run: async (ctx, input) => {
      const page = await listNotes(ctx, input.receiver_id, input);
      return { ...page, items: page.items.map(serializeNote) };
    },
  }),
  operation({
    ...common,
    path,
    keyScope: 'chat.assign',
    id: 'notes.create',
    method: 'POST',
    summary: 'Write a note',
    description: 'For the team, never for the customer. A member whose name follows an `@` is told.',
    body: createNoteInput,
    status: 201,
    output: noteShape,
    idempotent: 'atomic',
    examples: { request: { body: 'Promised a new parcel by Friday.' } },
    locate: (ctx, params) => findContact(ctx, params.receiver_id),
    run: async (ctx, input) => serializeNote(await createNote(ctx, input.receiver_id, input.body)),
    reread: async (ctx, id) => serializeNote(await readNote(ctx, id)),
  }),
];
