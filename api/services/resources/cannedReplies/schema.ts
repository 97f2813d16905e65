import { boolean, described, Fault, field, input, list, parseWith, required, text } from '../../../core/http/fields';
import { contactVariables } from '../templates/variables';
import { reason } from '../reasons';

/** The longest text of a message, because the reply is sent as one. */
const maxBody = 4_096;
/** Each file is sent as a message of its own. */
const maxFiles = 10;

const shortcut = described(
  text({
    max: 64,
    blank: false,
    pattern: /^[\p{L}\p{N}_-]+$/u,
    patternMessage: reason('noShortcut'),
  }),
  'What is typed behind `/`; each of yours, and each of the team’s, has its own.',
  'thanks',
);

const placeholders = contactVariables.map((name) => `{{${name}}}`).join(', ');

/** A text whose placeholders are fields of the contact, by the names that templates have for them. */
export const replyText = described(
  field<string>({ type: 'string', maxLength: maxBody, minLength: 1 }, (raw) => {
    const words = parseWith(text({ max: maxBody, blank: false, trim: false }), raw);
    if (words instanceof Fault) return words;
    const unknown = [...words.matchAll(placeholder)].find(([, name]) => !isVariable(name?.trim() ?? ''));
    return unknown ? new Fault(reason('noPlaceholder', { given: unknown[0], known: placeholders })) : words;
  }),
  `The text. It may have the placeholders ${placeholders}.`,
  'Thank you, {{name}}!',
);

const mediaIds = described(
  list(text({ max: 64, blank: false }), { max: maxFiles }),
  `The uploaded files (\`POST /media/\`) that are sent with the text, at most ${maxFiles}.`,
);

const shared = described(boolean(), 'Whether it is the team’s, which takes `workspace.manage`; else it is your own.');

/** `POST /canned-replies/`. */
export const createReplyInput = input({
  shortcut: required(shortcut),
  body: required(replyText),
  media_ids: mediaIds,
  is_shared: shared,
});

/** `PATCH /canned-replies/{id}/`; whose it is stays. */
export const updateReplyInput = input({ shortcut, body: replyText, media_ids: mediaIds });

/** `GET /canned-replies/`. */
export const listRepliesQuery = input({
  receiver_id: described(text({ max: 200 }), 'A contact: `filled` is the text as it would be for them.'),
});

const placeholder = /\{\{([^{}]*)\}\}/g;
type Variable = (typeof contactVariables)[number];
const isVariable = (name: string): name is Variable => (contactVariables as readonly string[]).includes(name);

/** Returns the text for a contact; what they have no value for is a dash, as in a template. */
export function filledFor(body: string, valueOf: (name: Variable) => string): string {
  return body.replace(placeholder, (whole, words: string) => {
    const name = words.trim();
    return isVariable(name) ? valueOf(name) || '—' : whole;
  });
}
