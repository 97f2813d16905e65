import type { Child } from 'hono/jsx';
import { Icon, type Html } from './html';
import { Back } from './parts';

interface HeadGiven {
  readonly title: string;
  /** Where one came from. */
  readonly back?: { readonly href: string; readonly label: string };
  /** What stands beside the title: states, ways to other pages. */
  readonly children?: Child;
}

/** The head of a page. */
export function PageHead({ title, back, children }: HeadGiven): Html {
  return (
    <div class="page-head">
      {back && <Back {...back} />}
      <h1>{title}</h1>
      {children}
    </div>
  );
}

/** The way to the form of a new one, beside the title of a list. */
export function NewLink({ href, text }: { readonly href: string; readonly text: string }): Html {
  return (
    <a class="button button-main" href={href} data-key="n">
      <Icon name="plus" />
      {text}
    </a>
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

interface TableGiven {
  readonly label: string;
  readonly columns: readonly Child[];
  /** A class beside that of all tables; on a phone the rows of `table-cards` are cards. */
  readonly class?: string;
  readonly children: Child;
}

/** A table that scrolls by itself where it is wider than its place. */
export function Table({ label, columns, class: kind, children }: TableGiven): Html {
  return (
    <div class="table-scroll" tabindex={0} role="region" aria-label={label}>
      <table class={kind ? `table ${kind}` : 'table'}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
