import {
  choice,
  datetime,
  described,
  field,
  input,
  nullable,
  required,
  text,
  type Field,
  type InputOf,
} from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';
import type { JsonSchema } from '../../../core/http/shapes';
import { recipientField } from '../contacts/identity';
import { variablesJson } from '../templates/variables';
import { componentsField } from '../templates/componentFields';
import { contentFields, sendableTypes } from './content';

/** `GET …/messages/`. */
export const listMessagesQuery = input({ ...pagingQuery });

/** `GET /messages/search/` (contract 18). */
export const searchMessagesQuery = input({
  q: described(
    required(text({ max: 255, blank: false, pattern: /[\p{L}\p{N}]/u, patternMessage: 'Enter a word to search for.' })),
    'Words that a message must have, in any order; the last one may be the beginning of a word. Case and accents do ' +
      'not matter.',
    'order',
  ),
  receiver: described(
    text({ max: 200, blank: false }),
    'Only messages of this customer: phone, contact id, BSUID or @username.',
  ),
  direction: described(choice(['inbound', 'outbound'] as const), 'Only what customers wrote, or only what was sent.'),
  after: described(datetime(), 'Only messages after this time.'),
  before: described(datetime(), 'Only messages before this time.'),
  page_size: pagingQuery.page_size,
  cursor: pagingQuery.cursor,
});
export type SearchMessagesInput = InputOf<typeof searchMessagesQuery>;

/** A field whose shape the reference shows and `readContent` checks. */
function asWritten(json: JsonSchema): Field<unknown> {
  return field<unknown>(json, (raw) => raw);
}

const templateJson: JsonSchema = {
  title: 'TemplateContent',
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 512 },
    language: {
      anyOf: [
        { type: 'string' },
        { title: 'TemplateLanguage', type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      ],
    },
    components: nullable(componentsField).spec.meta?.json ?? {},
  },
  required: ['name', 'language'],
};

/** `POST /messages/` (contract 6); the content itself is read by `readContent`. */
export const createMessageInput = input({
  to: described(required(recipientField()), 'Phone number in E.164 or business-scoped user id.', '+15551230001'),
  phone_number_id: described(
    nullable(text({ max: 64 })),
    'The number to send from. Without it: the only number of the account or workspace, or else the number that the ' +
      'conversation last used. Required if there is neither.',
  ),
  msgapp_business_account_id: described(
    nullable(text({ max: 64 })),
    'The business account that sends, from `GET /api/v1/phone-numbers/`. Needed only to choose between accounts.',
  ),
  type: described(choice(sendableTypes), 'Without it, the object that you send decides.'),
  body: described(asWritten({ type: 'string', maxLength: 4096 }), 'Short form of a text message.', 'Hi'),
  ...contentFields,
  template: described(asWritten(templateJson), '`{name, language, components}` of an APPROVED template.'),
  template_id: described(
    asWritten({ type: 'string', maxLength: 64 }),
    'Instead of `template`: its id, with `template_variables`.',
  ),
  template_variables: asWritten(variablesJson(['static', 'field'])),
  reply_to_wamid: described(
    nullable(text({ max: 255 })),
    '`message_id` (wamid) of the message that this one answers. It goes to the platform unchanged, so you can also ' +
      'answer a message that is not stored here.',
  ),
});
