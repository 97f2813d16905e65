import { localOf } from '../../../core/zones';
import type { PageRequest } from '../page';

/** What will happen by itself, as its operation gives it. */
interface WireUpcoming {
  readonly kind: string;
  readonly at: string;
  readonly text: string;
  readonly link: string;
  readonly actions: readonly { readonly name: 'now' | 'later' | 'not'; readonly path: string }[];
}

/** A line of it in the panel. */
export interface UpcomingView {
  readonly key: string;
  readonly at: string;
  readonly text: string;
  /** The page that shows more; empty: it is this one. */
  readonly href: string;
  /** Where its forms go; empty: nothing can be done about it here. */
  readonly action: string;
  /** What says which one it is. */
  readonly hidden: readonly (readonly [name: string, value: string])[];
  readonly now: { readonly name: string; readonly value: string } | null;
  readonly later: {
    readonly name: string;
    readonly value: string;
    readonly field: string;
    readonly local: string;
    readonly from: string;
  } | null;
  readonly not: { readonly name: string; readonly value: string } | null;
}

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
      text,
      href: link.startsWith(path) ? '' : link,
      action: form?.action ?? '',
      hidden: form?.hidden ?? [],
      now: form && offers('now') ? (isSnooze ? { name: 'conv_status', value: 'open' } : whatIs('now')) : null,
      later:
        form && offers('later')
          ? {
              ...(isSnooze ? { name: 'conv_status', value: 'snoozed' } : whatIs('later')),
              ...{ field: isSnooze ? 'until_local' : 'send_local', local, from },
            }
          : null,
      not: form && offers('not') ? whatIs('not') : null,
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

const whatIs = (value: string) => ({ name: 'what', value });
