import type { FieldErrors } from '../../../core/errors';
import { randomToken } from '../../../core/secrets';
import type { PageRequest } from '../page';
import {
  approvedTemplates,
  previewTemplate,
  templateComponents,
  templateFields,
  type TemplateField,
  type TemplatePreview,
} from './templates';
import type { ThreadView } from './load';

/** The box below a thread: a text, a file by its address, or a template. */
interface ComposerView {
  readonly mode: 'text' | 'attachment' | 'template';
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
  readonly path: string;
  /** Sending the same form twice sends one message. */
  readonly once: string;
  readonly windowLeft: string | null;
  readonly windowShort: boolean;
  readonly replyTo: { readonly wamid: string; readonly text: string } | null;
  readonly templates: readonly { readonly template_id: string; readonly name: string; readonly language: string }[];
  readonly fields: readonly TemplateField[];
  readonly preview: TemplatePreview | null;
  readonly numbers: readonly { readonly phone_number_id: string; readonly display_phone_number: string }[];
}

type Values = Readonly<Record<string, string>>;

/** Builds the box from what was asked for or typed before. */
export async function loadComposer(
  page: PageRequest,
  thread: ThreadView,
  values: Values = {},
  errors: FieldErrors = {},
): Promise<ComposerView> {
  // Where the window is closed, a template is all that can be sent.
  const asked = values['mode'] ?? page.query['compose'] ?? (thread.windowLeft === null ? 'template' : 'text');
  const mode = asked === 'template' || asked === 'attachment' ? asked : 'text';
  const templates = mode === 'template' ? await approvedTemplates(page) : [];
  const chosenId = values['template_id'] ?? page.query['template_id'];
  const chosen = templates.find(({ template_id: id }) => id === chosenId);
  const wamid = values['reply_to_wamid'] ?? page.query['reply_to'] ?? '';
  const numbers =
    thread.count === 0 ? await page.callIfPermitted<ComposerView['numbers']>('phoneNumbers.list', {}, []) : [];
  return {
    mode,
    values,
    errors,
    path: thread.path,
    once: randomToken(18),
    windowLeft: thread.windowLeft,
    windowShort: thread.windowShort,
    replyTo: wamid === '' ? null : { wamid, text: quotedText(thread, wamid) },
    templates,
    fields: chosen ? templateFields(chosen) : [],
    preview: chosen ? previewTemplate(chosen.components, values) : null,
    numbers,
  };
}

function quotedText(thread: ThreadView, wamid: string): string {
  const message = thread.days.flatMap(({ messages }) => messages).find((candidate) => candidate.wamid === wamid);
  const text = message?.text.map((part) => part.text).join('') ?? '';
  return text.slice(0, 140) || message?.label || message?.media?.name || 'An earlier message';
}

/** Returns what the form asks to send, as `POST /messages/` takes it. */
export async function readMessage(page: PageRequest, receiver: string): Promise<Record<string, unknown>> {
  const { form } = page;
  const common = {
    to: receiver,
    ...(form['reply_to_wamid'] ? { reply_to_wamid: form['reply_to_wamid'] } : {}),
    ...(form['phone_number_id'] ? { phone_number_id: form['phone_number_id'] } : {}),
  };
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
  return { ...common, type: 'text', text: { body: form['body'] ?? '', preview_url: true } };
}
