import type { Message } from '../../../core/http/reasons';
import { localOf } from '../../../core/zones';
import { Act, Hidden } from '../formParts';
import type { Html } from '../html';
import type { PageRequest } from '../page';
import { refusalText } from '../refusals';
import { words } from '../words';

const { upcoming: said } = words.inbox;

/** What will happen by itself, as its operation gives it. */
interface WireUpcoming {
  readonly kind: string;
  readonly at: string;
  readonly text: Message;
  readonly link: string;
  readonly actions: readonly { readonly name: 'now' | 'later' | 'not'; readonly path: string }[];
}

/** A line of it in the panel. */
interface UpcomingView {
  readonly key: string;
  readonly at: string;
  readonly text: string;
  /** The page that shows more; empty: it is this one. */
  readonly href: string;
  /** Where its forms go; empty: nothing can be done about it here. */
  readonly action: string;
  /** What says which one it is. */
  readonly hidden: Values;
  readonly now: readonly [name: string, value: string] | null;
  readonly later: {
    readonly hidden: Values;
    readonly field: string;
    readonly local: string;
    readonly from: string;
  } | null;
  readonly not: readonly [name: string, value: string] | null;
}

type Values = readonly (readonly [name: string, value: string])[];

/** Loads what will happen to a conversation by itself. */
export async function loadUpcoming(page: PageRequest, receiver: string, path: string): Promise<UpcomingView[]> {
  const found = await page.call<readonly WireUpcoming[]>('conversations.upcoming', { receiver_id: receiver });
  const from = localOf(page.now, page.workspace.timezone);
  return found.map(({ kind, at, text, link, actions }, place) => {
    const offers = (name: string): boolean => actions.some((action) => action.name === name);
    // Of a message its id, of a wait those of its rule and its run.
    const ids = [...(actions[0]?.path ?? '').matchAll(/\/(\d+)(?=\/)/g)].map(([, id = '']) => id);
    const local = localOf(new Date(at), page.workspace.timezone);
    const form = formOf(kind, path, ids);
    const isSnooze = kind === 'snooze';
    return {
      key: `${kind}-${ids.join('-') || place}`,
      at,
      text: refusalText(text),
      href: link.startsWith(path) ? '' : link,
      action: form?.action ?? '',
      hidden: form?.hidden ?? [],
      now: form && offers('now') ? (isSnooze ? ['conv_status', 'open'] : ['what', 'now']) : null,
      later:
        form && offers('later')
          ? {
              hidden: [isSnooze ? ['conv_status', 'snoozed'] : ['what', 'later']],
              ...{ field: isSnooze ? 'until_local' : 'send_local', local, from },
            }
          : null,
      not: form && offers('not') ? ['what', 'not'] : null,
    };
  });
}

/** Returns where the forms of a kind go, and what says which one is meant; null: its own page decides. */
function formOf(
  kind: string,
  path: string,
  [id = '', run = '']: readonly string[],
): Pick<UpcomingView, 'action' | 'hidden'> | null {
  if (kind === 'snooze') return { action: `${path}state/`, hidden: [] };
  if (kind === 'message') return { action: `${path}later/`, hidden: [['id', id]] };
  const hidden = [
    ['id', id],
    ['run', run],
  ] as const;
  return kind === 'rule' && run !== '' ? { action: `${path}wait/`, hidden } : null;
}

interface UpcomingGiven {
  readonly page: PageRequest;
  readonly upcoming: readonly UpcomingView[];
}

/** What will happen by itself, with what can be done about it. */
export function Upcoming({ page, upcoming }: UpcomingGiven): Html {
  return (
    <ol class="upcoming">
      {upcoming.map(({ key, at, text, href, action, hidden, now, later, not }) => (
        <li>
          <p>
            {page.timePart(at, 'full')}
            <br />
            <span class="upcoming-text" dir="auto" title={text}>
              {text}
            </span>{' '}
            {href && <a href={href}>{said.show}</a>}
          </p>
          {(now || later || not) && (
            <div class="later-tools">
              {now && (
                <Act action={action} csrf={page.csrf}>
                  <Hidden values={hidden} />
                  <button class="button button-small" id={`now-${key}`} name={now[0]} value={now[1]}>
                    {said.now}
                  </button>
                </Act>
              )}
              {later && (
                <>
                  <button
                    class="button button-small"
                    type="button"
                    id={`move-${key}`}
                    popovertarget={`move-menu-${key}`}
                  >
                    {said.later}
                  </button>
                  <div class="menu" id={`move-menu-${key}`} popover="auto">
                    <Act class="menu-custom" id={`move-form-${key}`} action={action} csrf={page.csrf}>
                      <Hidden values={[...hidden, ...later.hidden]} />
                      <label class="label" for={`move-at-${key}`}>
                        {said.otherTime}
                      </label>
                      <div class="row">
                        <input
                          class="input"
                          id={`move-at-${key}`}
                          name={later.field}
                          type="datetime-local"
                          min={later.from}
                          value={later.local}
                          required
                        />
                        <button class="button button-small button-main">{said.move}</button>
                      </div>
                    </Act>
                  </div>
                </>
              )}
              {not && (
                <Act action={action} csrf={page.csrf}>
                  <Hidden values={hidden} />
                  <button class="button button-small" id={`not-${key}`} name={not[0]} value={not[1]}>
                    {said.not}
                  </button>
                </Act>
              )}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}
