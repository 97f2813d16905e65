import type { Child } from 'hono/jsx';
import { Act } from '../formParts';
import { Icon, type Html } from '../html';
import { Tag } from '../parts';
import { words } from '../words';
import { Choices } from '../menuChoices';
import { inboxPath } from './filters';
import { toolsOf, type HeadGiven, type Tool } from './headTools';

const { head: said } = words.inbox;

/** The head of a thread: who it is, in what state, and what can be done. */
export function Head({ outOfBand, ...given }: HeadGiven): Html {
  const { page, thread, filters } = given;
  return (
    <header
      class="thread-head"
      id="thread-head"
      hx-swap-oob={outOfBand ? 'morph' : undefined}
      data-of={thread.path}
      data-unread={thread.conversation.unread_count || Number(thread.isMarked)}
    >
      <a
        class="button-icon thread-back"
        href={page.link(inboxPath, filters)}
        data-key="u"
        aria-label={said.back}
        title={`${said.back} (u)`}
      >
        <Icon name="arrow-left" />
      </a>
      <div class="thread-who">
        <h2 class="cut" id="thread-title" dir="auto">
          {thread.title}
        </h2>
        <p class="thread-state">
          <State {...given} />
          <span class="soft cut">{ownerOf(given)}</span>
        </p>
      </div>
      {page.may('conversations.update') && <Tools {...given} />}
      <More {...given} />
      <button
        class="button-icon details-toggle folds"
        type="button"
        popovertarget="details"
        data-key="i"
        title={`${said.about} (i)`}
        aria-label={said.about}
      >
        <Icon name="info" />
      </button>
    </header>
  );
}

/** Says what is not as usual with a conversation. */
function State({ page, thread: { conversation } }: HeadGiven): Html {
  const { conv_status: status, priority, snoozed_until: until, thread_owner: owner } = conversation;
  return (
    <>
      {owner && (
        <Tag style="tag-warn" text={owner === 'meta_business_agent' ? said.platformAnswers : said.otherAnswers} />
      )}
      {status === 'snoozed' ? (
        <Tag style="tag-warn" text={said.snoozed(page.moment(until))} />
      ) : (
        status !== 'open' && <Tag style={status === 'resolved' ? 'tag-good' : ''} text={words.inbox.statuses[status]} />
      )}
      {priority === 'urgent' && <Tag style="tag-bad" text={words.inbox.priorities[priority]} />}
      {priority === 'high' && <Tag style="tag-warn" text={words.inbox.priorities[priority]} />}
    </>
  );
}

function ownerOf({ page, thread, team }: HeadGiven): string {
  const { assigned_member: memberId, assigned_team_inbox: inboxId } = thread.conversation;
  const member = team.members.find(({ id }) => id === memberId);
  const inbox = team.inboxes.find(({ id }) => id === inboxId);
  const owner = !memberId
    ? said.nobodys
    : memberId === page.member.id
      ? said.yours
      : member?.name || member?.email || said.somebodys;
  return inbox ? `${owner} · ${inbox.name}` : owner;
}

/** What can be done with a conversation: each by a menu, and the end of it. */
function Tools(given: HeadGiven): Html {
  const { page, thread, filters } = given;
  const { conv_status: status } = thread.conversation;
  const isOpen = status === 'open' || status === 'pending';
  const end = said.end[isOpen ? 'resolved' : 'open'];
  return (
    <div class="thread-tools">
      {toolsOf(given).map(({ draw, ...tool }) => (
        <Menu {...tool} folds>
          {draw()}
        </Menu>
      ))}
      <Act action={page.link(`${thread.path}state/`, filters)} csrf={page.csrf}>
        <button
          class={isOpen ? 'button button-small button-main' : 'button button-small'}
          name="conv_status"
          value={isOpen ? 'resolved' : 'open'}
          data-key="e"
          title={`${end.hint} (e)`}
        >
          <Icon name={isOpen ? 'check' : 'inbox'} />
          {end.label}
        </button>
      </Act>
    </div>
  );
}

/** What is done more rarely with a conversation; on a phone, all but the end of it. */
function More(given: HeadGiven): Html {
  const { page, thread, filters } = given;
  const { conv_status: status } = thread.conversation;
  const folded = [...toolsOf(given), { id: 'details', label: said.about, icon: 'info' as const }];
  return (
    <Menu id="more" label={said.more} icon="ellipsis">
      {folded.map(({ id, label, icon }) => (
        <button class="menu-item folded" type="button" popovertarget={id}>
          <Icon name={icon} />
          {label}
        </button>
      ))}
      {page.may('unreadMarks.create') && (
        <Act action={page.link(`${thread.path}unread/`, filters)} csrf={page.csrf}>
          <Choices choices={[{ name: 'mark', value: 'unread', label: said.markUnread, icon: 'mail' }]} />
        </Act>
      )}
      {page.may('conversations.update') && (
        <Act action={page.link(`${thread.path}state/`, filters)} csrf={page.csrf}>
          <Choices
            choices={marks
              .filter(([value]) => value !== status)
              .map(([value, icon]) => ({
                name: 'conv_status',
                value,
                label: said.mark(words.inbox.statuses[value]),
                icon,
              }))}
          />
        </Act>
      )}
      <a class="menu-item" href={`${thread.path}print/`}>
        <Icon name="file-text" />
        {words.thread.print.open}
      </a>
    </Menu>
  );
}

const marks = [
  ['open', 'inbox'],
  ['pending', 'timer'],
  ['converted', 'circle-check'],
  ['spam', 'ban'],
] as const;

interface MenuGiven extends Omit<Tool, 'draw'> {
  /** On a phone it is opened from the menu of all. */
  readonly folds?: boolean;
  readonly children: Child;
}

/** A menu, and the button that opens it. */
function Menu({ id, label, icon, letter, folds, children }: MenuGiven): Html {
  return (
    <>
      <button
        class={folds ? 'button-icon folds' : 'button-icon'}
        type="button"
        popovertarget={id}
        data-key={letter}
        title={letter ? `${label} (${letter})` : label}
        aria-label={label}
      >
        <Icon name={icon} />
      </button>
      <div class="menu" id={id} popover="auto">
        {children}
      </div>
    </>
  );
}
