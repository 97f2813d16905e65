import { assetPath } from './assets';
import type { BadgeView, Unread } from './fieldViews';
import type { Html } from './html';
import { Form } from './parts';
import { words } from './words';

const { frame, common } = words;

/** What the page before left to be said. */
export interface Said {
  readonly text: string;
  readonly kind?: 'good' | 'bad';
  readonly undo?: {
    readonly action: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly shownMs?: number;
  };
}

/** The icons of the browser's tab, of an installed page, and what an installed page is. */
export function AppIcons(): Html {
  return (
    <>
      <link rel="icon" href={assetPath('favicon.svg')} type="image/svg+xml" />
      <link rel="apple-touch-icon" href={assetPath('icon192.png')} />
      <link rel="manifest" href={assetPath('app.webmanifest')} />
      <meta name="theme-color" content="#f5f6f8" media="(prefers-color-scheme: light)" />
      <meta name="theme-color" content="#121417" media="(prefers-color-scheme: dark)" />
    </>
  );
}

/** What the page before left to be said, with the way to take it back. */
export function Flash({ flash, csrf }: { readonly flash: Said; readonly csrf: string }): Html {
  const { text, kind, undo } = flash;
  return (
    <div class={kind === 'bad' ? 'toast toast-bad' : 'toast'} data-shown-ms={undo?.shownMs}>
      <span>{text}</span>
      {undo && (
        <Form action={undo.action} csrf={csrf}>
          {Object.entries(undo.fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <button class="toast-undo" type="submit" data-key="z">
            {frame.undo} <kbd>z</kbd>
          </button>
        </Form>
      )}
    </div>
  );
}

/** The question before what cannot be undone; forms.js fills it in. */
export function Confirm(): Html {
  return (
    <dialog class="dialog" id="confirm" aria-labelledby="confirm-title">
      <form method="dialog">
        <h2 id="confirm-title">{frame.confirm.title}</h2>
        <p id="confirm-text"></p>
        <div class="actions">
          <button class="button" value="no" type="submit">
            {common.cancel}
          </button>
          <button class="button button-bad" value="yes" type="submit" id="confirm-yes">
            {frame.confirm.go}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** The list of shortcuts: those of every page, and the page's own. */
export function Keys({ keys }: { readonly keys: readonly (readonly [keys: string, text: string])[] }): Html {
  const { title, close, ...said } = frame.keys;
  const every: typeof keys = [
    ['/', said.search],
    ['?', said.list],
    ['z', said.undo],
    ['Esc', said.escape],
  ];
  return (
    <dialog class="dialog" id="keys" aria-labelledby="keys-title">
      <form method="dialog">
        <h2 id="keys-title">{title}</h2>
        <dl class="keys">
          {[...every, ...keys].map(([pressed, text]) => (
            <div>
              <dt>
                {pressed.split(' ').map((key) => (
                  <>
                    <kbd>{key}</kbd>{' '}
                  </>
                ))}
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <div class="actions">
          <button class="button" type="submit" autofocus>
            {close}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface BadgeGiven {
  readonly badge: BadgeView;
  /** It takes the place of the one in the page. */
  readonly outOfBand?: boolean;
  /** Whose approvals it follows. */
  readonly workspaceId?: number;
  /** What of it is unread, by the pages that show it (notices.js). */
  readonly unread?: Unread | undefined;
}

/** The number beside a place; it is asked for anew when news come, unless its pages bring it. */
export function Badge({ badge: { name, text, isHidden }, outOfBand, workspaceId, unread }: BadgeGiven): Html {
  const follows = { waiting: '', approvals: `approvals ${workspaceId}`, concerns: 'notice 0' };
  const live = follows[name] ? { 'data-follows': follows[name], 'data-from': `/dashboard/${name}/?part=badge` } : {};
  return (
    <span
      class="count count-new"
      id={`badge-${name}`}
      hx-swap-oob={outOfBand ? 'true' : undefined}
      data-unread={unread && name === 'concerns' ? JSON.stringify(unread) : undefined}
      hidden={isHidden}
      {...live}
    >
      {text}
      <span class="visually-hidden"> {words.frame.waiting}</span>
    </span>
  );
}
