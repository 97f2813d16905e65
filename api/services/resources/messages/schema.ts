import { described, field, input, nullable, required, text, type Field } from '../../../core/fields';
import { pagingQuery } from '../../../core/paging';
import type { JsonSchema } from '../../../core/shapes';
import { componentsField } from '../templates/componentFields';
import { contentFields, sendableTypes } from './content';

/** `GET …/messages/`. */
export const listMessagesQuery = input({ ...pagingQuery });

/** A field whose shape the reference shows and `readContent` checks. */
function asWritten(json: JsonSchema): Field<unknown> {
  return field<unknown>(json, (raw) => raw);
}

const templateJson: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 512 },
    language: {
      anyOf: [{ type: 'string' }, { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] }],
    },
    components: nullable(componentsField).spec.meta?.json ?? {},
  },
  required: ['name', 'language'],
};

/** `POST /messages/` (contract 6); the content itself is read by `readContent`. */
export const createMessageInput = input({
  to: described(
    required(text({ max: 160, blank: false })),
    'Phone number in E.164 or business-scoped user id.',
    '+15551230001',
  ),
  phone_number_id: described(
    nullable(text({ max: 64 })),
    'The number to send from. Left out: the only number of the named account or of the workspace, else the one ' +
      'through which the conversation last spoke; required where there is none.',
  ),
  msgapp_business_account_id: described(
    nullable(text({ max: 64 })),
    'The account whose number sends, as the phone number list names it.',
  ),
  type: described(
    text({ max: 32 }),
    `One of ${sendableTypes.join(', ')}; inferred from the object that is sent when it is left out.`,
  ),
  body: described(asWritten({ type: 'string', maxLength: 4096 }), 'Short form of a text message.', 'Hi'),
  ...contentFields,
  template: described(asWritten(templateJson), '`{name, language, components}` of an APPROVED template.'),
  template_id: described(
    asWritten({ type: 'string', maxLength: 64 }),
    'Instead of `template`: its id, with `template_variables`.',
  ),
  template_variables: described(
    asWritten({ type: 'object', additionalProperties: true }),
    '`{body: {"1": {source, value|field}}}` as in contract 8.2.',
  ),
  reply_to_wamid: described(
    nullable(text({ max: 255 })),
    'Id (wamid) of the message that this one answers. It is passed on as it is: a message that was deleted here, or' +
      ' came before this workspace was connected, can be answered too.',
  ),
});
