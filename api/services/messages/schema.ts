import { described, input, json, nullable, required, text } from '../../core/fields';
import { pagingQuery } from '../../core/paging';

/** `GET …/messages/`. */
export const listMessagesQuery = input({ ...pagingQuery });

/** `POST /messages/` (contract C6); the content itself is read by `readContent`. */
export const createMessageInput = input({
  to: described(required(text({ max: 160, blank: false })), 'Phone number in E.164 or business-scoped user id.', '+15551230001'),
  msgapp_business_account_id: nullable(text({ max: 64 })),
  phone_number_id: nullable(text({ max: 64 })),
  type: text({ max: 32 }),
  body: described(json(), 'Short form of a text message.', 'Hi'),
  text: described(json(), '`{body, preview_url}`, body up to 4096 characters.'),
  template: described(json(), '`{name, language, components}`.'),
  template_id: described(json(), 'Instead of `template`: its id, with `template_variables`.'),
  template_variables: described(json(), '`{body: {"1": {source, value|field}}}` as in specification 2.6.'),
  reply_to_wamid: nullable(text({ max: 255 })),
});
