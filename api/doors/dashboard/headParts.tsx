import type { Child } from 'hono/jsx';
import { Icon, type Html } from './html';
import type { IconName } from './icons';
import { Back } from './parts';
import { words } from './words';

const { common } = words;

interface HeadGiven {
  readonly title: string;
  /** The way to where one came from. */
  readonly back?: { readonly href: string; readonly label: string };
  /** The class of the heading. */
  readonly style?: string;
  readonly children?: Child;
}

/** The head of a page: its heading, and what can be done there. */
export function Head({ title, back, style, children }: HeadGiven): Html {
  return (
    <div class="page-head">
      {back && <Back {...back} />}
      <h1 class={style}>{title}</h1>
      {children}
    </div>
  );
}

/** The way to the form that makes one more. */
export function NewLink({ href, text, icon = 'plus' }: { href: string; text: string; icon?: IconName }): Html {
  return (
    <a class="button button-main" href={href} data-key="n">
      <Icon name={icon} />
      {text}
    </a>
  );
}

/** The buttons of a form: null where the member may not send it. */
export function Actions({ save, cancel }: { readonly save: string | null; readonly cancel?: string }): Html {
  return (
    <div class="actions">
      {save !== null && (
        <button class="button button-main" type="submit">
          {save}
        </button>
      )}
      {cancel !== undefined && (
        <a class="button" href={cancel}>
          {common.cancel}
        </a>
      )}
    </div>
  );
}
