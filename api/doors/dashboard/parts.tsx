import type { Child } from 'hono/jsx';
import type { FieldErrors } from '../../core/http/errors';
import {
  checksView,
  fieldView,
  otherErrors,
  type ChecksGiven,
  type Confirmation,
  type FieldGiven,
  type FilterView,
  type PagerView,
  type RadioView,
  type TabView,
  type TagView,
} from './fieldViews';
import { Icon, type Html } from './html';
import type { IconName } from './icons';
import { words } from './words';

const { common } = words;

/** One labelled field of a form, with its hint and what was wrong with it. */
export function Field(given: FieldGiven): Html {
  const field = fieldView(given);
  const { id, kind, attributes } = field;
  const { name, label, hint, optional } = given;
  const about = (
    <>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {field.error && (
        <p class="field-error" id={`${id}-error`}>
          {field.error}
        </p>
      )}
    </>
  );
  if (kind === 'checkbox')
    return (
      <div class="field field-check">
        <input id={id} name={name} type="checkbox" value="true" checked={field.isTicked} {...attributes} />{' '}
        <label for={id}>{label}</label>
        {about}
      </div>
    );
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && (
          <>
            {' '}
            <span class="soft">{common.optional}</span>
          </>
        )}
      </label>
      {kind === 'select' && (
        <select id={id} name={name} {...attributes}>
          <Options options={field.options} />
        </select>
      )}
      {kind === 'textarea' && (
        <textarea id={id} name={name} rows={field.rows} dir="auto" {...attributes}>
          {textOf(field.value)}
        </textarea>
      )}
      {kind === 'input' && <input id={id} name={name} type={field.type} value={textOf(field.value)} {...attributes} />}
      {about}
    </div>
  );
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

interface Choice {
  readonly value: string | number;
  readonly label: string;
  readonly isChosen: boolean;
}

/** The choices of a select. */
function Options({ options }: { readonly options: readonly Choice[] }): Html {
  return (
    <>
      {options.map(({ value, label, isChosen }) => (
        <option value={value} selected={isChosen}>
          {label}
        </option>
      ))}
    </>
  );
}

/** Boxes of which several may be ticked, below their headings. */
export function Checks(given: ChecksGiven): Html {
  const { groups, isDescribed, error } = checksView(given);
  const { name, legend, hint } = given;
  return (
    <fieldset class="checks" aria-describedby={isDescribed ? `${name}-about` : undefined}>
      <legend class="label">{legend}</legend>
      {isDescribed && (
        <div id={`${name}-about`}>
          {hint && <p class="hint">{hint}</p>}
          {error && <p class="field-error">{error}</p>}
        </div>
      )}
      <ul class="choices">
        {groups.map((group) => (
          <>
            {group.name && <li class="choices-group">{group.name}</li>}
            {group.options.map(({ value, label, detail, isChosen }) => (
              <li>
                <label class="choice">
                  <input type="checkbox" name={name} value={value} checked={isChosen} />
                  <span class="choice-name">{label}</span>
                  {detail && <span class="choice-detail">{detail}</span>}
                </label>
              </li>
            ))}
          </>
        ))}
      </ul>
    </fieldset>
  );
}

/** What was refused beyond the fields that show their own errors. */
export function Errors({ errors, fields }: { errors?: FieldErrors | undefined; fields?: readonly string[] }): Html {
  const lines = otherErrors(errors, fields);
  if (lines.length === 0) return <></>;
  return (
    <div class="note note-bad" role="alert">
      {lines.map(({ field, text }) => (
        <p>
          {field && (
            <>
              <strong>{field}:</strong>{' '}
            </>
          )}
          {text}
        </p>
      ))}
    </div>
  );
}

/** The way to where one came from, at the head of a page. */
export function Back({ href, label }: { readonly href: string; readonly label: string }): Html {
  return (
    <a class="button-icon" href={href}>
      <Icon name="arrow-left" label={label} />
    </a>
  );
}

/** The way to the neighbours of a page of a list. */
export function Pager({ pager }: { readonly pager: PagerView | null }): Html {
  if (!pager) return <></>;
  return (
    <nav class="pager" aria-label={common.pages}>
      {pager.text && <span>{pager.text}</span>}
      {pager.previous && (
        <a class="button button-small" rel="prev" href={pager.previous}>
          {common.previous}
        </a>
      )}
      {pager.next && (
        <a class="button button-small" rel="next" href={pager.next}>
          {common.next}
        </a>
      )}
    </nav>
  );
}

/** Selects of a form that finds; each asks anew when another choice is made. */
export function Filters({ filters }: { readonly filters: readonly FilterView[] }): Html {
  return (
    <>
      {filters.map(({ name, label, options }) => (
        <label>
          <span class="visually-hidden">{label}</span>
          <select class="input" name={name} data-submit="">
            <Options options={options} />
          </select>
        </label>
      ))}
    </>
  );
}

/** Ways to other parts of what a page shows. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly TabView[] }): Html {
  return (
    <nav class="tabs tabs-page" aria-label={label}>
      {tabs.map(({ href, label: name, isCurrent }) => (
        <a href={href} aria-current={isCurrent ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** Choices of which one is taken. */
export function Radios({ radios }: { readonly radios: readonly RadioView[] }): Html {
  return (
    <ul class="choices">
      {radios.map(({ name, value, label, detail, isChosen }) => (
        <li>
          <label class="choice">
            <input type="radio" name={name} value={value} required checked={isChosen} />
            <span class="choice-name">{label}</span>
            {detail && <span class="choice-detail">{detail}</span>}
          </label>
        </li>
      ))}
    </ul>
  );
}

/** A state in its colour. */
export function Tag({ text, style }: TagView): Html {
  return <span class={`tag ${style}`}>{text}</span>;
}

interface EmptyGiven {
  readonly icon: IconName;
  readonly title: string;
  readonly text: Child;
  /** What can be done about it. */
  readonly children?: Child;
}

/** What an empty list says: what will be here. */
export function Empty({ icon, title, text, children }: EmptyGiven): Html {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}

interface FormGiven {
  readonly action: string;
  /** The token of the session (`page.csrf`). */
  readonly csrf: string;
  readonly children: Child;
  readonly class?: string;
  readonly id?: string;
  readonly hidden?: boolean;
  /** Of a form with a file. */
  readonly enctype?: 'multipart/form-data';
}

/** A form that changes something. */
export function Form({ action, csrf, children, ...attributes }: FormGiven): Html {
  return (
    <form method="post" action={action} {...attributes}>
      <input type="hidden" name="csrf" value={csrf} />
      {children}
    </form>
  );
}

/** What a form asks before it is sent. */
export function asking({ title, text, button }: Confirmation): Readonly<Record<string, string>> {
  return { 'data-confirm-title': title, 'data-confirm': text, 'data-confirm-button': button };
}

interface ActionGiven extends Pick<FormGiven, 'action' | 'csrf'> {
  readonly icon: IconName;
  readonly text: string;
  /** The question before it. */
  readonly ask: Confirmation;
}

/** A form of one button, apart from others, that asks before it does what cannot be undone. */
export function Removal({ action, csrf, icon, text, ask }: ActionGiven): Html {
  return (
    <Form class="apart" action={action} csrf={csrf} {...asking(ask)}>
      <button class="button" type="submit">
        <Icon name={icon} />
        {text}
      </button>
    </Form>
  );
}

/** Says on every page that no rule acts, and lets them go on. */
export function BrakeBanner(given: {
  readonly since: Html;
  readonly reason: string;
  /** The token of the session; null: the member may not let them go on. */
  readonly csrf: string | null;
}): Html {
  const { since, reason, csrf } = given;
  const { brake } = words.rules;
  return (
    <div class="banner banner-warn" role="status">
      <Icon name="ban" />
      <p>
        {brake.since} {since}
        {reason ? `: ${reason}` : '.'}
      </p>
      {csrf !== null && (
        <Form action="/dashboard/rules/brake/" csrf={csrf}>
          <input type="hidden" name="on" value="false" />
          <button class="button button-small" type="submit">
            {brake.go}
          </button>
        </Form>
      )}
    </div>
  );
}

/** What is wrong, in a frame. */
export function BadNote({ text }: { readonly text: string }): Html {
  return (
    <div class="note note-bad">
      <p>{text}</p>
    </div>
  );
}

/** What a customer would read, below what would send it; nothing where nothing is sent. */
export function Says({ text }: { readonly text: string | null | undefined }): Html {
  if (!text) return <></>;
  return (
    <div class="says" dir="auto">
      {text}
    </div>
  );
}
