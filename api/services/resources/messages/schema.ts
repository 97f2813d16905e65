import {
  choice,
  datetime,
  described,
  field,
  input,
  nullable,
  parseWith,
  required,
  text,
  type Field,
  type InputOf,
} from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';
import type { JsonSchema } from '../../../core/http/shapes';
import { ifCustomerWrites } from '../../../../models/enums';
import { recipientField } from '../contacts/identity';
import { variablesJson } from '../templates/variables';
import { componentsField } from '../templates/componentFields';
import { contentFields, sendableTypes } from './content';
import { reason } from '../reasons';

/** `GET …/messages/`. */
export const listMessagesQuery = input({ ...pagingQuery });

/** `GET /messages/search/` (contract 18). */
export const searchMessagesQuery = input({
  q: described(
    required(text({ max: 255, blank: false, pattern: /[\p{L}\p{N}]/u, patternMessage: reason('noWord') })),
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

/** When a message is sent: at a moment, or when the team works next. */
export type SendAt = Date | 'opening';

function sendAt(): Field<SendAt> {
  return field<SendAt>(
    {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', enum: ['opening'] },
      ],
    },
    (raw) => (raw === 'opening' ? raw : parseWith(datetime(), raw)),
  );
}

/** How a message is sent later (contract 24). */
export const laterFields = {
  send_at: described(
    nullable(sendAt()),
    'Sends it later: a datetime up to 366 days ahead, or `opening`, when the calendar of the conversation opens ' +
      'next (at once while it is open). Free text needs a window that is still open then.',
    '2027-03-01T08:00:00Z',
  ),
  if_customer_writes: described(
    choice(ifCustomerWrites),
    'What becomes of a message for later if the customer writes before: it waits for a member (`hold`, unless ' +
      'told), goes all the same (`send`), or is discarded (`cancel`).',
  ),
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
  ...laterFields,
});

/** `PATCH /messages/{id}/` of a message that waits (contract 24). */
export const changeMessageInput = createMessageInput
  .omit(['to', 'phone_number_id', 'msgapp_business_account_id'])
  .concat(
    input({
      body: described(
        asWritten({ anyOf: [{ type: 'string', maxLength: 4096 }, { type: 'object' }] }),
        'Another text; or another content, as `body` of the message shows it.',
      ),
      send_at: described(sendAt(), 'Another moment; of a message that is held, it is sent then.'),
      message_status: described(
        choice(['scheduled', 'held']),
        '`scheduled`: a message that is held is sent at its moment after all.',
      ),
    }),
  );
