import { Act, Hidden, Once } from '../formParts';
import { Icon, type Html } from '../html';
import type { PageRequest } from '../page';
import { words } from '../words';
import { inboxPath, readFilters } from './filters';
import type { MessageView } from './messages';

const { menu: said } = words.thread;

/** What customers and members say most often with one sign. */
const emojis = ['👍', '❤️', '😂', '🙏', '🎉', '😮'] as const;

interface ActsGiven {
  readonly page: PageRequest;
  /** The thread that it is in. */
  readonly path: string;
  readonly isWindowOpen: boolean;
  readonly message: Pick<MessageView, 'wamid' | 'reacted'> & { readonly id: number | string };
}

/** Stands for a message whose menu is not open yet: a script puts in what it is called (thread.js). */
const someMessage = { id: '_id_', wamid: '_wamid_', reacted: '' } as const;

/** What can be done with a message. */
export function MessageActs({ page, path, isWindowOpen, message }: ActsGiven): Html {
  const { id, wamid, reacted } = message;
  const filters = readFilters(page.query);
  const mayAnswer = page.may('messages.create') && wamid !== '';
  const composer = (query: Readonly<Record<string, string | number>>): object => ({
    href: page.link(path, { ...filters, ...query }),
    'hx-get': page.link(path, { ...filters, ...query, part: 'composer' }),
    'hx-target': '#composer',
    'hx-swap': 'outerHTML',
  });
  return (
    <>
      {mayAnswer && isWindowOpen && (
        <Act class="reactions-menu" action={page.link(`${path}react/`, filters)} csrf={page.csrf}>
          <Once />
          <Hidden values={[['message', wamid]]} />
          {emojis.map((emoji) => (
            <button
              class="button-icon"
              name="emoji"
              value={emoji === reacted ? '' : emoji}
              aria-label={said.react(emoji)}
              aria-pressed={emoji === reacted ? 'true' : 'false'}
            >
              {emoji}
            </button>
          ))}
        </Act>
      )}
      {mayAnswer && (
        <a class="menu-item" {...composer({ reply_to: wamid, at: id })}>
          <Icon name="reply" />
          {said.reply}
        </a>
      )}
      <button class="menu-item scripted-only" type="button" data-act="copy" value={id}>
        <Icon name="copy" />
        {said.copy}
      </button>
      <a class="menu-item" data-act="link" href={`${page.link(path, { at: id })}#m-${id}`}>
        <Icon name="link" />
        {said.link}
      </a>
      {page.may('notes.create') && (
        <a class="menu-item" {...composer({ compose: 'note', quote: id, at: id })}>
          <Icon name="notebook-pen" />
          {said.quote}
        </a>
      )}
      {page.may('tickets.create') && (
        <a
          class="menu-item"
          href={page.link('/dashboard/tickets/new/', { receiver_id: receiverOf(path), message: id })}
        >
          <Icon name="ticket" />
          {said.ticket}
        </a>
      )}
    </>
  );
}

const receiverOf = (path: string): string => decodeURIComponent(path.slice(inboxPath.length, -1));

/** The one menu of all messages of a thread, empty until it is opened at one of them, and what it is made of. */
export function MessageMenu(given: Omit<ActsGiven, 'message'>): Html {
  return (
    <>
      <div class="menu" id="message-menu" popover="auto"></div>
      <template id="message-acts">
        <MessageActs {...given} message={someMessage} />
      </template>
    </>
  );
}

/** Opens the menu of a message; without scripts, a page on which it stands below the message. */
export function MessageMore({ message: { id, wamid, reacted, menu } }: { readonly message: MessageView }): Html {
  return (
    <a
      class="button-icon message-more"
      id={`more-${id}`}
      href={menu}
      data-message={id}
      data-wamid={wamid}
      data-reacted={reacted}
      aria-haspopup="menu"
      title={said.open}
    >
      <Icon name="ellipsis" label={said.open} />
    </a>
  );
}
