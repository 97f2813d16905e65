import { described, input, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { contactShape, serializeContact } from '../../resources/contacts/serializer';
import { findContact } from '../../resources/contacts/service';
import { mergeByMember } from './mergeByMember';

/** What a member decides about two contacts (contract 5.2). */
export const contactMergeOperations = [
  operation({
    id: 'contacts.merge',
    asksAgain: true,
    method: 'POST',
    path: '/api/v1/contacts/{receiver_id}/merge/',
    tag: 'Contacts',
    summary: 'Merge a contact into another one',
    description:
      'Two contacts are one person: the contact of the path goes, the one that `into` names stays, with messages, ' +
      'notes, tickets and broadcasts of both. Its values win and take what they lack from the other, an opt-out of ' +
      'either holds, and all numbers and user ids of both lead to it. This cannot be undone. Needs the scope ' +
      '`contact.delete`, too.',
    scope: 'contact.edit',
    audience: 'session',
    body: input({
      into: described(
        required(text({ max: 160, blank: false })),
        'The receiver_id, phone or bsuid of the contact that stays.',
        '4915122334410',
      ),
    }),
    status: 200,
    output: contactShape,
    conflicts: {
      when: 'One of the two has got another number or was merged just now.',
      example: 'One of the contacts has changed just now. Look at both again.',
    },
    examples: { request: { into: '4915122334410' } },
    locate: (ctx, { receiver_id: handle }) => findContact(ctx, handle),
    run: async (ctx, { receiver_id: handle, into }) => serializeContact(await mergeByMember(ctx, handle, into)),
  }),
];
