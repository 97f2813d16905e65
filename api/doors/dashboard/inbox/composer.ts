import { cut } from '../../../core/text/cut';
import { fileKinds } from '../../../core/files/contents';
import { notFound, type FieldErrors } from '../../../core/http/errors';
import { randomToken } from '../../../core/secrets';
import type { FieldGiven } from '../fieldViews';
import type { PageRequest } from '../page';
import {
  approvedTemplates,
  previewTemplate,
  templateComponents,
  templateFields,
  type TemplateField,
  type TemplatePreview,
} from './templates';
import { answeredField } from './answered';
import type { InboxFilters } from './filters';
import { readSendAt, sendLaterView, type SendLaterView } from './later';
import type { ThreadView, WindowView } from './load';
import type { WireMessage } from './messages';

/** The box below a thread: a text, a file by its address, or a template. */
interface ComposerView {
  readonly mode: 'text' | 'attachment' | 'template' | 'note';
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
  readonly path: string;
  readonly filters: readonly (readonly [string, string])[];
  /** Sending the same form twice sends one message. */
  readonly once: string;
  readonly window: WindowView;
  readonly replyTo: { readonly wamid: string; readonly text: string } | null;
  readonly templates: readonly { readonly id: string; readonly label: string; readonly isChosen: boolean }[];
  readonly fields: readonly FieldGiven[];
  readonly preview: PreviewView | null;
  /** The placeholder of the empty field. */
  readonly hint: string;
  /** Where the form goes, and where one gets rid of the quote. */
  readonly action: string;
  readonly noteAction: string;
  readonly modes: readonly ModeView[];
  readonly withoutQuote: { readonly href: string; readonly part: string };
  readonly choose: string;
  readonly chosenId: string;
  /** The number that it is sent from, where there is a choice. */
  readonly number: FieldGiven | null;
  /** The only number; empty: there are several, or the conversation has its own. */
  readonly onlyNumber: string;
  /** The text was refused. */
  readonly isRefused: boolean;
  /** The newest message when the text was begun; empty: there was none. */
  readonly begunUnder: string;
  /** The menu by which it is sent later. */
  readonly later: SendLaterView;
  /** What its button says; other words where somebody has answered meanwhile. */
  readonly send: string;
}

interface PhoneNumber {
  readonly phone_number_id: string;
  readonly display_phone_number: string;
}

/** One kind of what can be sent, as a tab. */
interface ModeView {
  readonly label: string;
  readonly href: string;
  /** The address of the box alone. */
  readonly part: string;
  readonly key: string;
  readonly isCurrent: boolean;
}

/** A template as it is filled in: its parts in pieces, of which those with a name show what is typed. */
interface PreviewView {
  readonly parts: readonly {
    readonly style: string;
    readonly pieces: readonly { readonly name: string; readonly text: string }[];
  }[];
  readonly buttons: readonly string[];
}

type Values = Readonly<Record<string, string>>;

const modes = [
  ['text', 'Reply', 'r'],
  ['template', 'Template', 't'],
  ['attachment', 'File', ''],
  ['note', 'Note', 'n'],
] as const;

const sendLabels: Readonly<Record<string, string>> = { attachment: 'Send file', template: 'Send template' };

/** Builds the box from what was asked for or typed before. */
export async function loadComposer(
  page: PageRequest,
  thread: ThreadView,
  filters: InboxFilters,
  values: Values = {},
  errors: FieldErrors = {},
): Promise<ComposerView> {
  // Where the window is closed, a template is all that can be sent.
  const isClosed = thread.window.left === null;
  const asked = values['mode'] ?? page.query['compose'] ?? (isClosed ? 'template' : 'text');
  const usable = modes.filter(([name]) => page.may(name === 'note' ? 'notes.create' : 'messages.create'));
  const mode = usable.find(([name]) => name === asked)?.[0] ?? usable[0]?.[0] ?? 'text';
  const templates = mode === 'template' ? await approvedTemplates(page) : [];
  const chosenId = values['template_id'] ?? page.query['template_id'];
  const chosen = templates.find(({ template_id: id }) => id === chosenId);
  const wamid = values['reply_to_wamid'] ?? page.query['reply_to'] ?? '';
  const numbers = thread.isEmpty ? await page.callIfPermitted<readonly PhoneNumber[]>('phoneNumbers.list', {}, []) : [];
  const refusals = formErrors(errors);
  const isAsked = errors[answeredField] !== undefined;
  return {
    mode,
    values,
    errors: refusals,
    isRefused: Object.keys(refusals).length > 0 && !isAsked,
    begunUnder: thread.newestId,
    later: await sendLaterView(page, thread.conversation, {
      isFreeText: mode !== 'template',
      isDisabled: mode === 'template' ? !chosen : mode === 'text' && isClosed,
      // Choosing a template brings along what was chosen beside it.
      given: { ...page.query, ...values },
    }),
    send: isAsked ? 'Send anyway' : (sendLabels[mode] ?? 'Send'),
    path: thread.path,
    filters: Object.entries(filters),
    once: randomToken(18),
    window: thread.window,
    replyTo: wamid === '' ? null : { wamid, text: quotedText(thread, wamid) },
    templates: templates.map(({ template_id: id, name, language }) => ({
      id,
      label: `${name.replaceAll('_', ' ')} · ${language}`,
      isChosen: id === chosenId,
    })),
    fields: (chosen ? templateFields(chosen) : []).map((field) => fieldOf(field, values, refusals)),
    preview: chosen ? previewView(previewTemplate(chosen.components, values)) : null,
    hint: isClosed ? 'The window is closed. Choose a template.' : 'Reply…',
    action: page.link(`${thread.path}messages/`, filters),
    noteAction: page.link(`${thread.path}notes/`, filters),
    modes: usable.map(([compose, label, key]) => ({
      label,
      href: page.link(thread.path, { ...filters, compose }),
      part: page.link(thread.path, { ...filters, compose, part: 'composer' }),
      // In a reply the letter leads into the field.
      key: compose === 'text' && mode === 'text' ? '' : key,
      isCurrent: compose === mode,
    })),
    withoutQuote: {
      href: page.link(thread.path, filters),
      part: page.link(thread.path, { ...filters, compose: 'text', part: 'composer' }),
    },
    choose: page.link(thread.path, { ...filters, compose: 'template', part: 'composer' }),
    chosenId: chosen?.template_id ?? '',
    number: numbers.length > 1 ? numberField(numbers, values, refusals) : null,
    onlyNumber: numbers.length === 1 ? (numbers[0]?.phone_number_id ?? '') : '',
  };
}

function fieldOf({ name, label, type, example }: TemplateField, values: Values, errors: FieldErrors): FieldGiven {
  return {
    name,
    label,
    type,
    value: values[name],
    errors,
    required: true,
    attributes: { maxlength: 1024, placeholder: example, 'data-fills': name, autocomplete: 'off' },
  };
}

function numberField(numbers: readonly PhoneNumber[], values: Values, errors: FieldErrors): FieldGiven {
  return {
    name: 'phone_number_id',
    id: 'from-number',
    label: 'From',
    type: 'select',
    value: values['phone_number_id'],
    errors,
    options: numbers.map(({ phone_number_id: value, display_phone_number: label }) => ({ value, label })),
  };
}

function previewView({ header, body, footer, buttons }: TemplatePreview): PreviewView {
  const piecesOf = (prefix: string, text: string) =>
    text.split(/(\{\{\s*\w+\s*\}\})/).map((piece) => {
      const name = /^\{\{\s*(\w+)/.exec(piece)?.[1];
      return { name: name ? `${prefix}.${name}` : '', text: piece };
    });
  const parts = [
    { style: 'is-strong', pieces: piecesOf('header', header) },
    { style: '', pieces: piecesOf('body', body) },
    { style: 'soft small', pieces: piecesOf('footer', footer) },
  ];
  return { parts: parts.filter(({ pieces }) => pieces.some(({ text }) => text !== '')), buttons };
}

function quotedText(thread: ThreadView, wamid: string): string {
  const message = thread.days
    .flatMap(({ entries }) => entries)
    .find((candidate) => candidate.message?.wamid === wamid)?.message;
  const text = message?.text.map((part) => part.text).join('') ?? '';
  return cut(text, 140) || message?.label || message?.media?.name || 'An earlier message';
}

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
  link: 'link',
  caption: 'caption',
  phone_number_id: 'phone_number_id',
};

/** Returns a refusal by the fields of the box; what belongs to none of them is said above, in its own words. */
export function formErrors(errors: FieldErrors): FieldErrors {
  const found: Record<string, string[]> = {};
  for (const [field, messages] of Object.entries(errors))
    for (const message of messages) {
      const [names, text] = splitPath(message);
      const name = [...names, field].map((each) => formFields[each]).find((each) => each !== undefined);
      (found[name ?? 'non_field_errors'] ??= []).push(text);
    }
  return found;
}

/** Separates the path in a message of the API from its text: `link: Enter a valid URL.` */
function splitPath(message: string): [names: readonly string[], text: string] {
  const path = /^(?:[a-z_]+(?:\[\d+\])?: )+/.exec(message)?.[0] ?? '';
  return [path.split(': ').filter(Boolean), message.slice(path.length)];
}

/** Returns what the form asks to send, as `POST /messages/` takes it. */
export async function readMessage(page: PageRequest, receiver: string): Promise<Record<string, unknown>> {
  const { form } = page;
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
  if (form['mode'] === 'attachment') {
    const kind = ['image', 'video', 'audio', 'document'].find((name) => name === form['kind']) ?? 'document';
    const caption = form['caption'] && kind !== 'audio' ? { caption: form['caption'] } : {};
    return { ...common, type: kind, [kind]: { link: form['link'] ?? '', ...caption } };
  }
  if (form['media_id']) {
    const kind = fileKinds.find((name) => name === form['kind']) ?? 'document';
    const caption = form['body'] && kind !== 'audio' && kind !== 'sticker' ? { caption: form['body'] } : {};
    return { ...common, type: kind, [kind]: { id: form['media_id'], ...caption } };
  }
  return { ...common, type: 'text', text: { body: form['body'] ?? '', preview_url: true } };
}
