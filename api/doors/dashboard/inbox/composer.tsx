import type { Child } from 'hono/jsx';
import { cut } from '../../../core/text/cut';
import type { FieldErrors } from '../../../core/http/errors';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import { Act, Once } from '../formParts';
import type { FieldGiven } from '../fieldViews';
import { Icon, type Html } from '../html';
import type { IconName } from '../icons';
import type { PhoneNumber } from '../lookups';
import type { PageRequest } from '../page';
import { Errors, Field } from '../parts';
import { words } from '../words';
import { answeredField } from './answeredMeanwhile';
import type { InboxFilters } from './filters';
import { laterTimes, SendOtherwise } from './later';
import type { ThreadView } from './load';
import type { MessageView } from './messages';
import { formErrors } from './messageForm';
import type { SnoozePreset } from './snooze';
import { ChoiceFields } from './composerChoices';
import { Attach, PlainFile } from './composerFile';
import { TemplateChoice, TemplateFields } from './composerTemplate';
import { approvedTemplates } from './templates';
import { Window } from './thread';

const { composer: said } = words;

type Values = Readonly<Record<string, string>>;
type Mode = keyof typeof said.modes;

/** What can be sent: to whom stands at the right of the box's lower edge, by what at its left. */
const modes = ['text', 'note', 'template', 'choices'] as const satisfies readonly Mode[];
const means = [
  ['template', 'layout-template', 't'],
  ['choices', 'list-checks', undefined],
] as const satisfies readonly (readonly [mode: Mode, icon: IconName, letter?: string])[];

/** What the box below a thread is drawn of. */
interface ComposerGiven {
  readonly page: PageRequest;
  readonly thread: ThreadView;
  readonly filters: InboxFilters;
  /** What the member may write. */
  readonly usable: readonly Mode[];
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
  const usable = modes.filter((name) => page.may(name === 'note' ? 'notes.create' : 'messages.create'));
  // Where the window is closed, a template is all that can be sent.
  const asked = values['mode'] ?? page.query['compose'] ?? (thread.isWindowOpen ? 'text' : 'template');
  const mode = usable.find((name) => name === asked) ?? usable[0] ?? 'text';
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
    usable,
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
    // Where the window opens or closes, what is asked for follows it (composer.js).
    <div class="composer" id="composer" data-mode={mode} data-window={thread.isWindowOpen ? 'open' : 'closed'}>
      {!page.may('messages.create') && <p class="soft small">{page.isReadOnly ? said.expired : said.readOnly}</p>}
      {usable.length > 0 && (
        <>
          <Window thread={thread} />
          {mode === 'note' ? <NoteForm {...given} /> : <MessageForm {...given} />}
        </>
      )}
    </div>
  );
}

interface ModeGiven extends ComposerGiven {
  readonly compose: Mode;
  readonly letter: string | undefined;
  readonly icon?: IconName;
}

/** Goes over to another kind of message. */
function ModeLink({ page, thread, filters, mode, compose, letter, icon }: ModeGiven): Html {
  const isCurrent = compose === mode;
  const label = said.modes[compose];
  return (
    <a
      class={icon && 'button-icon'}
      href={page.link(thread.path, { ...filters, compose })}
      hx-get={page.link(thread.path, { ...filters, compose, part: 'composer' })}
      hx-target="#composer"
      hx-swap="outerHTML"
      data-compose={compose}
      aria-current={isCurrent ? 'true' : undefined}
      title={icon && (letter ? `${label} (${letter})` : label)}
      // In a reply the letter leads into the field.
      data-key={compose === 'text' && isCurrent ? undefined : letter}
    >
      {icon ? (
        <>
          <Icon name={icon} />
          <span class="visually-hidden">{label}</span>
        </>
      ) : (
        label
      )}
    </a>
  );
}

/** The lower edge of the box: the means at the left, to whom it goes and what sends it at the right. */
function Foot({ given, children }: { readonly given: ComposerGiven; readonly children: Child }): Html {
  const { thread, usable, mode } = given;
  return (
    <div class="composer-foot">
      <div class="composer-means" role="group" aria-label={said.means}>
        {mode === 'text' && <Attach isDisabled={!thread.isWindowOpen} />}
        {means.map(
          ([compose, icon, letter]) =>
            usable.includes(compose) && <ModeLink {...given} compose={compose} icon={icon} letter={letter} />,
        )}
        {mode === 'text' && (
          <button
            class="button-icon scripted-only"
            type="button"
            data-type="/"
            title={`${said.canned} (/)`}
            disabled={!thread.isWindowOpen}
          >
            <Icon name="text-quote" label={said.canned} />
          </button>
        )}
      </div>
      {mode === 'text' && <span class="small bad" id="too-long" role="status"></span>}
      <div class="tabs composer-modes" role="group" aria-label={said.what}>
        {(['text', 'note'] as const).map(
          (compose) =>
            usable.includes(compose) && (
              <ModeLink {...given} compose={compose} letter={compose === 'text' ? 'r' : 'n'} />
            ),
        )}
      </div>
      {children}
    </div>
  );
}

const swap = {
  'hx-target': '#composer',
  'hx-swap': 'outerHTML',
  'hx-disabled-elt': 'find button[type=submit]',
  // Links in it have no such button.
  'hx-disinherit': 'hx-disabled-elt',
};

function NoteForm(given: ComposerGiven): Html {
  const { page, thread, filters, values, errors } = given;
  const quoted = messageOf(thread, ({ id }) => String(id) === page.query['quote']);
  const quote = quoted ? `> ${textOf(quoted).replaceAll('\n', '\n> ')}\n\n` : undefined;
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
        // It comes below what is typed already (composer.js).
        data-quote={quote}
        placeholder={said.note.placeholder}
      >
        {values['body'] ?? quote}
      </textarea>
      <Foot given={given}>
        <button class="button button-main" type="submit" title={said.note.hint}>
          <Icon name="notebook-pen" />
          {said.note.button}
        </button>
      </Foot>
    </Act>
  );
}

function MessageForm(given: ComposerGiven): Html {
  const { page, thread, filters, mode, errors, numbers, templates } = given;
  const [number] = numbers;
  return (
    <>
      {mode === 'template' && templates.length > 0 && <TemplateChoice {...given} />}
      <Act
        action={page.link(`${thread.path}messages/`, filters)}
        csrf={page.csrf}
        id="composer-form"
        {...(mode === 'text' ? { enctype: 'multipart/form-data' } : {})}
        {...swap}
      >
        <input type="hidden" name="mode" value={mode} />
        <Once />
        <input type="hidden" name="begun_under" value={thread.newestId} />
        <Quote {...given} />
        <Errors
          errors={errors}
          fields={['phone_number_id', 'body', 'choices', 'button'].filter(
            (name) => mode === 'choices' || name === 'phone_number_id',
          )}
        />
        {numbers.length > 1 ? (
          <Field {...numberField(given)} />
        ) : (
          number && <input type="hidden" name="phone_number_id" value={number.phone_number_id} />
        )}
        {mode === 'template' ? (
          <TemplateFields {...given}>
            <Foot given={given}>
              <SendButtons {...given} isDisabled={!given.chosen} />
            </Foot>
          </TemplateFields>
        ) : mode === 'choices' ? (
          <ChoiceFields {...given}>
            <Foot given={given}>
              <SendButtons {...given} isDisabled={!thread.isWindowOpen} />
            </Foot>
          </ChoiceFields>
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
  const message = messageOf(thread, (candidate) => candidate.wamid === wamid);
  return message ? cut(textOf(message), 140) : words.thread.earlierMessage;
}

function messageOf(thread: ThreadView, isIt: (message: MessageView) => boolean): MessageView | undefined {
  return thread.days.flatMap(({ entries }) => entries.flatMap(({ message }) => message ?? [])).find(isIt);
}

function textOf({ text, label, media }: MessageView): string {
  return text.map((part) => part.text).join('') || label || media?.name || words.thread.earlierMessage;
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

/** The button that sends, with the menu by which it is sent otherwise. */
function SendButtons({ page, values, times, mode, isAsked, isDisabled }: ComposerGiven & Disabled): Html {
  return (
    <span class="send-buttons">
      <button class="button button-main" type="submit" title={said.hint} disabled={isDisabled}>
        <Icon name="send" />
        {isAsked ? said.answered.anyway : said.send[mode]}
      </button>
      {/* Choosing a template brings along what was chosen beside it. */}
      <SendOtherwise
        times={times}
        isDisabled={isDisabled}
        given={{ ...page.query, ...values }}
        zone={page.workspace.timezone}
        now={page.now}
      >
        {page.may('conversations.update') && (
          <button class="menu-item" id="send-done" name="then" value="done">
            <Icon name="check" />
            {said.sendAndDone.label}
            <kbd>{said.sendAndDone.keys}</kbd>
          </button>
        )}
      </SendOtherwise>
    </span>
  );
}

interface Disabled {
  /** Nothing can be sent now. */
  readonly isDisabled: boolean;
}

function TextField(given: ComposerGiven): Html {
  const { page, thread, values, errors, isAsked } = given;
  const isClosed = !thread.isWindowOpen;
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
      {!isClosed && <PlainFile values={values} />}
      <Foot given={given}>
        <SendButtons {...given} isDisabled={isClosed} />
      </Foot>
    </>
  );
}
