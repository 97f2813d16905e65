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
    const isMessage = kind === 'message';
    const isSnooze = kind === 'snooze';
    const id = /\/messages\/(\d+)\/$/.exec(actions.find(({ name }) => name === 'not')?.path ?? '')?.[1] ?? '';
    const local = localOf(new Date(at), page.workspace.timezone);
    const isHere = isMessage || isSnooze || kind === 'retry' || kind === 'service_level';
    return {
      key: `${kind}-${id || place}`,
      at,
      text,
      href: isHere ? '' : link,
      action: isMessage ? `${path}later/` : isSnooze ? `${path}state/` : '',
      hidden: isMessage ? [['id', id]] : [],
      now: !offers('now') || !isHere ? null : isMessage ? whatIs('now') : { name: 'conv_status', value: 'open' },
      later:
        !offers('later') || !isHere
          ? null
          : isMessage
            ? { ...whatIs('later'), field: 'send_local', local, from }
            : { name: 'conv_status', value: 'snoozed', field: 'until_local', local, from },
      not: offers('not') && isMessage ? whatIs('not') : null,
    };
  });
}

const whatIs = (value: string) => ({ name: 'what', value });
