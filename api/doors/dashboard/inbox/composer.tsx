import type { Child } from 'hono/jsx';
import { cut } from '../../../core/text/cut';
import type { FieldErrors } from '../../../core/http/errors';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import { Act, Once } from '../formParts';
import { optionsOf, type FieldGiven } from '../fieldViews';
import { Icon, type Html } from '../html';
import type { PhoneNumber } from '../lookups';
import type { PageRequest } from '../page';
import { Errors, Field } from '../parts';
import { words } from '../words';
import { answeredField } from './answered';
import type { InboxFilters } from './filters';
import { laterTimes, SendLater } from './later';
import type { ThreadView } from './load';
import { formErrors } from './sent';
import type { SnoozePreset } from './snooze';
import { TemplateChoice, TemplateFields } from './composerTemplate';
import { approvedTemplates } from './templates';
import { Window } from './thread';

const { composer: said } = words;

type Values = Readonly<Record<string, string>>;
type Mode = keyof typeof said.modes;

const modes = [
  ['text', 'r'],
  ['template', 't'],
  ['attachment', ''],
  ['note', 'n'],
] as const satisfies readonly (readonly [mode: Mode, key: string])[];

/** What the box below a thread is drawn of. */
interface ComposerGiven {
  readonly page: PageRequest;
  readonly thread: ThreadView;
  readonly filters: InboxFilters;
  readonly mode: Mode;
  /** What was typed, and why it was refused. */
  readonly values: Values;
  readonly errors: FieldErrors;
  /** Somebody has answered meanwhile: it is asked before it is sent. */
  readonly isAsked: boolean;
  readonly templates: readonly TemplateItem[];
  readonly chosen: TemplateItem | undefined;
  /** The numbers that a first message can be sent from. */
  readonly numbers: readonly PhoneNumber[];
  /** When it can be sent later. */
  readonly times: readonly SnoozePreset[];
}

/** Draws the box below a thread from what was asked for or typed before: a text, a file, a template, or a note. */
export async function composerPart(
  page: PageRequest,
  thread: ThreadView,
  filters: InboxFilters,
  values: Values = {},
  errors: FieldErrors = {},
): Promise<Html> {
  const usable = modes.filter(([name]) => page.may(name === 'note' ? 'notes.create' : 'messages.create'));
  // Where the window is closed, a template is all that can be sent.
  const asked = values['mode'] ?? page.query['compose'] ?? (thread.window.left === null ? 'template' : 'text');
  const mode = usable.find(([name]) => name === asked)?.[0] ?? usable[0]?.[0] ?? 'text';
  const chosenId = values['template_id'] ?? page.query['template_id'];
  const [templates, numbers, times] = await Promise.all([
    mode === 'template' ? approvedTemplates(page) : [],
    thread.isEmpty ? page.callIfPermitted<readonly PhoneNumber[]>('phoneNumbers.list', {}, []) : [],
    laterTimes(page, thread.conversation, mode !== 'template'),
  ]);
  const given: ComposerGiven = {
    page,
    thread,
    filters,
    mode,
    values,
    errors: formErrors(errors),
    isAsked: errors[answeredField] !== undefined,
    templates,
    chosen: templates.find(({ template_id: id }) => id === chosenId),
    numbers,
    times,
  };
  return (
    <div class="composer" id="composer">
      {!page.may('messages.create') && <p class="soft small">{page.isReadOnly ? said.expired : said.readOnly}</p>}
      {usable.length > 0 && (
        <>
          <div class="composer-top">
            <div class="tabs" role="group" aria-label={said.what}>
              {usable.map(([compose, key]) => (
                <ModeTab {...given} compose={compose} letter={key} />
              ))}
            </div>
            <Window thread={thread} />
          </div>
          {mode === 'note' ? <NoteForm {...given} /> : <MessageForm {...given} />}
        </>
      )}
    </div>
  );
}

interface ModeTabGiven extends ComposerGiven {
  readonly compose: Mode;
  readonly letter: string;
}

function ModeTab({ page, thread, filters, mode, compose, letter }: ModeTabGiven): Html {
  const isCurrent = compose === mode;
  return (
    <a
      href={page.link(thread.path, { ...filters, compose })}
      hx-get={page.link(thread.path, { ...filters, compose, part: 'composer' })}
      hx-target="#composer"
      hx-swap="outerHTML"
      aria-current={isCurrent ? 'true' : undefined}
      // In a reply the letter leads into the field.
      data-key={(compose === 'text' && isCurrent ? '' : letter) || undefined}
    >
      {said.modes[compose]}
    </a>
  );
}

const swap = {
  'hx-target': '#composer',
  'hx-swap': 'outerHTML',
  'hx-disabled-elt': 'find button[type=submit]',
};

function NoteForm({ page, thread, filters, values, errors }: ComposerGiven): Html {
  return (
    <Act
      action={page.link(`${thread.path}notes/`, filters)}
      csrf={page.csrf}
      id="note-form"
      class="note-form"
      {...swap}
    >
      <Once />
      <Errors errors={errors} />
      <label class="visually-hidden" for="note">
        {said.note.label}
      </label>
      <textarea
        class="input"
        id="note"
        name="body"
        rows={3}
        dir="auto"
        required
        data-draft="note "
        placeholder={said.note.placeholder}
      >
        {values['body']}
      </textarea>
      <div class="composer-foot">
        <span class="soft small composer-hint">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> {said.note.saves}
        </span>
        <button class="button button-main" type="submit">
          <Icon name="notebook-pen" />
          {said.note.button}
        </button>
      </div>
    </Act>
  );
}

function MessageForm(given: ComposerGiven): Html {
  const { page, thread, filters, mode, errors, numbers, templates } = given;
  const [number] = numbers;
  return (
    <>
      {mode === 'template' && templates.length > 0 && <TemplateChoice {...given} />}
      <Act action={page.link(`${thread.path}messages/`, filters)} csrf={page.csrf} id="composer-form" {...swap}>
        <input type="hidden" name="mode" value={mode} />
        <Once />
        <input type="hidden" name="begun_under" value={thread.newestId} />
        <Quote {...given} />
        <Errors errors={errors} fields={['phone_number_id', 'link', 'caption']} />
        {numbers.length > 1 ? (
          <Field {...numberField(given)} />
        ) : (
          number && <input type="hidden" name="phone_number_id" value={number.phone_number_id} />
        )}
        {mode === 'template' ? (
          <TemplateFields {...given}>
            <Foot>
              <SendButtons {...given} isDisabled={!given.chosen} />
            </Foot>
          </TemplateFields>
        ) : mode === 'attachment' ? (
          <FileFields {...given} />
        ) : (
          <TextField {...given} />
        )}
      </Act>
    </>
  );
}

/** The message that is answered. */
function Quote({ page, thread, filters, values }: ComposerGiven): Html {
  const wamid = values['reply_to_wamid'] ?? page.query['reply_to'] ?? '';
  if (wamid === '') return <></>;
  return (
    <>
      <input type="hidden" name="reply_to_wamid" value={wamid} />
      <p class="quote composer-quote">
        <span class="cut">{said.answering(quotedText(thread, wamid))}</span>
        <a
          class="button-icon"
          href={page.link(thread.path, filters)}
          hx-get={page.link(thread.path, { ...filters, compose: 'text', part: 'composer' })}
          hx-target="#composer"
          hx-swap="outerHTML"
        >
          <Icon name="x" label={said.doNotAnswer} />
        </a>
      </p>
    </>
  );
}

function quotedText(thread: ThreadView, wamid: string): string {
  const message = thread.days
    .flatMap(({ entries }) => entries)
    .find((candidate) => candidate.message?.wamid === wamid)?.message;
  const text = message?.text.map((part) => part.text).join('') ?? '';
  return cut(text, 140) || message?.label || message?.media?.name || words.thread.earlierMessage;
}

function numberField({ numbers, values, errors }: ComposerGiven): FieldGiven {
  return {
    name: 'phone_number_id',
    id: 'from-number',
    label: said.from,
    type: 'select',
    value: values['phone_number_id'],
    errors,
    options: numbers.map(({ phone_number_id: value, display_phone_number: label }) => ({ value, label })),
  };
}

/** The button that sends, with the menu by which it is sent later. */
function SendButtons({ page, values, times, mode, isAsked, isDisabled }: ComposerGiven & Disabled): Html {
  return (
    <span class="send-buttons">
      <button class="button button-main" type="submit" disabled={isDisabled}>
        <Icon name="send" />
        {isAsked ? said.answered.anyway : said.send[mode]}
      </button>{' '}
      {page.may('conversations.update') && (
        <button
          class="button"
          type="submit"
          id="send-done"
          name="then"
          value="done"
          title={said.sendAndDone.hint}
          disabled={isDisabled}
        >
          <Icon name="check" label={said.sendAndDone.label} />
        </button>
      )}{' '}
      {/* Choosing a template brings along what was chosen beside it. */}
      <SendLater page={page} times={times} isDisabled={isDisabled} given={{ ...page.query, ...values }} />
    </span>
  );
}

interface Disabled {
  /** Nothing can be sent now. */
  readonly isDisabled: boolean;
}

function TextField(given: ComposerGiven): Html {
  const { page, thread, values, errors, isAsked } = given;
  const isClosed = thread.window.left === null;
  const isRefused = Object.keys(errors).length > 0 && !isAsked;
  return (
    <>
      <label class="visually-hidden" for="reply">
        {said.reply.label}
      </label>
      <textarea
        class="input"
        id="reply"
        name="body"
        rows={3}
        dir="auto"
        required
        data-key="r"
        data-most="4096"
        data-draft=""
        data-undo={page.member.undo_send ? '' : undefined}
        placeholder={isClosed ? said.reply.closed : said.reply.placeholder}
        aria-invalid={isRefused ? 'true' : undefined}
        disabled={isClosed}
      >
        {values['body']}
      </textarea>
      <ul class="attached" id="attached" aria-label={said.files.label}></ul>
      <div class="composer-foot">
        <label class="button-icon scripted-only" for="attach" title={said.files.how}>
          <Icon name="paperclip" label={said.files.attach} />
        </label>
        <input class="visually-hidden" id="attach" type="file" multiple disabled={isClosed} />
        <span class="soft small composer-hint">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> {said.sends}
        </span>
        <span class="small bad" id="too-long" role="status"></span>
        <SendButtons {...given} isDisabled={isClosed} />
      </div>
    </>
  );
}

const fileKinds = ['image', 'document', 'video', 'audio'] as const;

function FileFields(given: ComposerGiven): Html {
  const { values, errors } = given;
  return (
    <>
      <div class="attachment-form">
        <Field
          name="kind"
          id="kind"
          label={said.file.kind}
          type="select"
          value={values['kind']}
          options={optionsOf(fileKinds.map((kind) => [kind, said.file.kinds[kind]]))}
        />
        <Field
          name="link"
          id="link"
          label={said.file.link}
          type="url"
          value={values['link']}
          errors={errors}
          required
          attributes={{ maxlength: 2048, placeholder: 'https://' }}
        />
      </div>
      <Field
        name="caption"
        id="caption"
        label={said.file.caption}
        value={values['caption']}
        errors={errors}
        optional
        attributes={{ maxlength: 1024 }}
      />
      <Foot>
        <SendButtons {...given} isDisabled={false} />
      </Foot>
    </>
  );
}

function Foot({ children }: { readonly children: Child }): Html {
  return (
    <div class="composer-foot">
      <span></span>
      {children}
    </div>
  );
}
