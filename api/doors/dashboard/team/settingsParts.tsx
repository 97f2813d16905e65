import type { Child } from 'hono/jsx';
import { Icon, type Html } from '../html';
import type { IconName } from '../icons';
import { words } from '../words';

const { common, settings } = words;

/** The head of a further part of a page. */
export function NextHead({ title, id, children }: { title: string; id?: string; children?: Child }): Html {
  return (
    <div class="page-head page-head-next">
      <h2 id={id}>{title}</h2>
      {children}
    </div>
  );
}

/** The way on from a page that showed something. */
export function Done({ href, text }: { readonly href: string; readonly text: string }): Html {
  return (
    <div class="actions">
      <a class="button button-main" href={href}>
        {text}
      </a>
    </div>
  );
}

/** A column of a table. */
export interface Column<T> {
  readonly label: string;
  readonly show: (item: T) => Child;
  /** What a phone says beside it, where it is not the label. */
  readonly cell?: string;
  readonly class?: string;
}

interface TableGiven<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  /** Another kind than the one whose rows are cards on a phone. */
  readonly kind?: string;
  /** What can be done with each, in a last column. */
  readonly actions?: (item: T) => Child;
  readonly row?: (item: T) => { readonly id?: string; readonly class?: string | undefined };
}

/** A table, whose rows are cards on a phone. */
export function Table<T>({ label, columns, items, kind = 'table-cards', actions, row }: TableGiven<T>): Html {
  return (
    <div class="table-scroll" tabindex={0} role="region" aria-label={label}>
      <table class={`table ${kind}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column.label}</th>
            ))}
            {actions && (
              <th scope="col">
                <span class="visually-hidden">{common.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr {...row?.(item)}>
              {columns.map(({ label: name, cell = name, class: style, show }) => (
                <td data-label={cell} class={style}>
                  {show(item)}
                </td>
              ))}
              {actions && <td class="cell-actions">{actions(item)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface NothingGiven {
  readonly icon: IconName;
  readonly title: string;
  /** What will be here. */
  readonly text: string;
  /** What is said where something was asked for, and the way to all. */
  readonly none: string;
  readonly all: string;
  /** Where all are; null: nothing was asked for. */
  readonly path: string | null;
}

/** An empty list that may have been narrowed. */
export function NothingFits({ icon, title, text, none, all, path }: NothingGiven): Html {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {path === null ? (
        <p>{text}</p>
      ) : (
        <p>
          {none} <a href={path}>{all}</a>
        </p>
      )}
    </div>
  );
}

/** What is said of one thing, line by line. */
export function Facts({ facts, style }: { facts: readonly (readonly [string, Child])[]; style?: string }): Html {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd class={style}>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** A secret that is shown once. */
export function Secret({ label, value }: { readonly label: string; readonly value: string }): Html {
  return (
    <div class="field">
      <label for="secret">{label}</label>
      <div class="secret">
        <input id="secret" class="input" readonly autocomplete="off" spellcheck={false} value={value} data-select="" />
        <button class="button scripted-only" type="button" data-copy="#secret">
          <Icon name="copy" />
          {settings.copy}
        </button>
      </div>
    </div>
  );
}

/** A note that is told when it appears. */
export function Told({ warns, children }: { readonly warns?: boolean; readonly children: Child }): Html {
  return (
    <div class={warns ? 'note note-warn' : 'note'} role="status">
      <p>{children}</p>
    </div>
  );
}
