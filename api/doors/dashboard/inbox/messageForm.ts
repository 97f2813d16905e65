import { Readable } from 'node:stream';
import { fileKinds, fileLimits } from '../../../core/files/contents';
import { notFound, type FieldErrors } from '../../../core/http/errors';
import { Upload } from '../../../core/http/upload';
import type { PageRequest } from '../page';
import { readSendAt } from './later';
import { words } from '../words';
import type { WireMessage } from './messages';
import { approvedTemplates, templateComponents } from './templates';

/** Returns the content of a failed message, to be sent once more. Throws 404 for a message of another conversation. */
async function failedMessage(page: PageRequest, receiver: string, id: string): Promise<Record<string, unknown>> {
  const conversation = await page.call<{ receiver_id: string }>('conversations.get', { receiver_id: receiver });
  const message = await page.call<WireMessage & { receiver: { receiver_id: string } }>('messages.get', { id });
  if (message.receiver.receiver_id !== conversation.receiver_id || message.message_status !== 'failed')
    throw notFound();
  const reply = message.reply_to_wamid === '' ? {} : { reply_to_wamid: message.reply_to_wamid };
  return { ...reply, ...(message.body as Record<string, unknown>) };
}

/** The fields of the box by what the API calls them: as a field, or at the head of a message about its parts. */
const formFields: Readonly<Record<string, string>> = {
  body: 'body',
  buttons: 'choices',
  rows: 'choices',
  button: 'button',
  phone_number_id: 'phone_number_id',
};

/** Returns a refusal by the fields of the box; what belongs to none of them is said above, in its own words. */
export function formErrors(errors: FieldErrors): FieldErrors {
  const found: Record<string, string[]> = {};
  for (const [field, messages] of Object.entries(errors))
    for (const message of messages) {
      const [names, text] = splitPath(message);
      const name = [...names, field]
        .map((each) => formFields[each.replace(/\[\d+\]$/, '')])
        .find((each) => each !== undefined);
      (found[name ?? 'non_field_errors'] ??= []).push(text);
    }
  return found;
}

/** Separates the path in a message of the API from its text: `link: Enter a valid URL.` */
function splitPath(message: string): [names: readonly string[], text: string] {
  const path = /^(?:[a-z_]+(?:\[\d+\])?: )+/.exec(message)?.[0] ?? '';
  return [path.split(': ').filter(Boolean), message.slice(path.length)];
}

/** The largest file of a form that is sent without scripts: as such it is in memory as a whole. */
export const maxPlainFile = fileLimits.video.maxBytes;

/** As what files are sent; what none of these takes goes as a document. The script decides by the same (attach.js). */
export const shownKinds = (['image', 'video', 'audio'] as const).map((kind) => ({ kind, ...fileLimits[kind] }));

/** Returns the fields of the form; a file that was sent with it is stored, and named in them. */
export async function storeFile(page: PageRequest): Promise<Readonly<Record<string, string>>> {
  const { form, file } = page;
  if (!file) return form;
  const upload = new Upload(file.filename, file.declared, Readable.from(file.bytes));
  const { id, mime_type: type, size, filename } = await page.call<StoredFile>('media.create', { file: upload });
  const own = shownKinds.find(({ contents, maxBytes }) => contents.includes(type) && size <= maxBytes)?.kind;
  // A sound has no caption.
  const kind = own === undefined || (own === 'audio' && form['body']) ? 'document' : own;
  return { ...form, media_id: id, kind, filename };
}

/** A file as it was stored. */
interface StoredFile {
  readonly id: string;
  readonly mime_type: string;
  readonly size: number;
  readonly filename: string;
}

/** Returns what a form asks to send, as `POST /messages/` takes it. */
export async function readMessage(
  page: PageRequest,
  receiver: string,
  form: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const common = {
    to: receiver,
    ...(form['reply_to_wamid'] ? { reply_to_wamid: form['reply_to_wamid'] } : {}),
    ...(form['phone_number_id'] ? { phone_number_id: form['phone_number_id'] } : {}),
    ...readSendAt(page),
  };
  if (form['again']) return { to: receiver, ...(await failedMessage(page, receiver, form['again'])) };
  if (form['mode'] === 'template') {
    const templates = await approvedTemplates(page);
    const chosen = templates.find(({ template_id: id }) => id === form['template_id']);
    if (!chosen) return { ...common, template_id: form['template_id'] ?? '' };
    const { name, language } = chosen;
    return { ...common, type: 'template', template: { name, language, components: templateComponents(chosen, form) } };
  }
  if (form['mode'] === 'choices') return { ...common, type: 'interactive', interactive: choicesOf(form) };
  if (form['media_id']) {
    const kind = fileKinds.find((name) => name === form['kind']) ?? 'document';
    const caption = form['body'] && kind !== 'audio' && kind !== 'sticker' ? { caption: form['body'] } : {};
    return { ...common, type: kind, [kind]: { id: form['media_id'], ...caption } };
  }
  return { ...common, type: 'text', text: { body: form['body'] ?? '', preview_url: true } };
}

const mostButtons = 3;

/** Returns a question with the answers of the form, one a line: as buttons, or as a list where these are too many. */
function choicesOf(form: Readonly<Record<string, string>>): Record<string, unknown> {
  const lines = (form['choices'] ?? '').split('\n').flatMap((line) => line.trim() || []);
  const answers = lines.map((line, index) => {
    const [title = '', ...about] = line.split('|').map((part) => part.trim());
    return { id: `choice-${index + 1}`, title, description: about.join(' | ') };
  });
  const body = { text: form['body'] ?? '' };
  if (answers.length <= mostButtons && answers.every(({ description }) => description === ''))
    return {
      type: 'button',
      body,
      action: { buttons: answers.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })) },
    };
  return {
    type: 'list',
    body,
    action: { button: form['button'] || words.composer.choices.open, sections: [{ rows: answers }] },
  };
}
