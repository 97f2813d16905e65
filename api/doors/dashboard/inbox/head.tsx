import type { Child } from 'hono/jsx';
import { localOf } from '../../../core/zones';
import type { MacroView } from '../../../services/resources/macros/serializer';
import { sentence } from '../fieldViews';
import { Act, Hidden, Once } from '../formParts';
import { Icon, type Html } from '../html';
import type { IconName } from '../icons';
import { objectsOf, type Team } from '../lookups';
import type { PageRequest } from '../page';
import { asking, Tag } from '../parts';
import { words } from '../words';
import { Choices, type Choice } from '../menuChoices';
import { inboxPath, type InboxFilters } from './filters';
import type { ThreadView } from './load';
import { snoozePresets } from './snooze';

const { head: said } = words.inbox;

/** What the head of a thread is drawn of. */
export interface HeadParts {
  readonly thread: ThreadView;
  readonly filters: InboxFilters;
  readonly team: Team;
  readonly macros: readonly Pick<MacroView, 'id' | 'name' | 'description' | 'actions'>[];
}

interface HeadGiven extends HeadParts {
  readonly page: PageRequest;
  /** It takes the place of the one in the page. */
  readonly outOfBand?: boolean;
}

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

/** What can be done with a conversation by a menu of its own. */
interface Tool extends Omit<MenuGiven, 'children'> {
  readonly draw: () => Html;
}

function toolsOf(given: HeadGiven): readonly Tool[] {
  const { page, thread, filters, macros } = given;
  if (!page.may('conversations.update')) return [];
  const { csrf } = page;
  const action = page.link(`${thread.path}state/`, filters);
  const draw = (choices: readonly Choice[]) => (
    <Act action={action} csrf={csrf}>
      <Choices choices={choices} />
    </Act>
  );
  const tools: readonly (Tool | null)[] = [
    {
      id: 'assign',
      label: said.assign,
      icon: 'user-plus',
      letter: 'a',
      draw: () => <Assign {...given} action={action} />,
    },
    {
      id: 'priority',
      label: said.priority,
      icon: 'flag',
      letter: 'p',
      draw: () =>
        draw(
          priorities.map((value) => ({
            name: 'priority',
            value,
            label: sentence(words.inbox.priorities[value]),
            isCurrent: value === thread.conversation.priority,
          })),
        ),
    },
    { id: 'snooze', label: said.snooze, icon: 'clock', letter: 's', draw: () => <Snooze {...given} action={action} /> },
    macros.length === 0 || !page.may('macros.run')
      ? null
      : {
          id: 'macros',
          label: said.macro,
          icon: 'zap',
          letter: 'm',
          draw: () => (
            <Act action={page.link(`${thread.path}macro/`, filters)} csrf={csrf}>
              <Choices choices={macros.map(macroChoice)} />
            </Act>
          ),
        },
    thread.conversation.thread_owner === '' && !thread.isShared
      ? null
      : { id: 'thread', label: said.owner.title, icon: 'bot', draw: () => <Owner {...given} /> },
  ];
  return tools.filter((tool) => tool !== null);
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

interface ActGiven extends HeadGiven {
  readonly action: string;
}

/** Who has it, and whom it is handed over to. */
function Assign({ action, ...given }: ActGiven): Html {
  const more = inboxChoices(given);
  return (
    <>
      <Act action={action} csrf={given.page.csrf}>
        <Choices choices={memberChoices(given)} />
        {more.length > 0 && (
          <>
            <hr />
            <Choices choices={more} />
          </>
        )}
      </Act>
      {given.page.may('handovers.create') && <Handover {...given} />}
    </>
  );
}

/** Until when it sleeps. */
function Snooze(given: ActGiven): Html {
  const { page, action } = given;
  const presets = snoozePresets(page.now, page.workspace.timezone);
  return (
    <>
      <Act action={action} csrf={page.csrf}>
        <Hidden values={snoozed} />
        <Choices choices={presets.map((preset) => ({ name: 'until', ...preset }))} />
      </Act>
      <OtherTime {...given} />
    </>
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

const priorities = ['urgent', 'high', 'normal', 'low'] as const;
const snoozed = [['conv_status', 'snoozed']] as const;
const marks = [
  ['open', 'inbox'],
  ['pending', 'timer'],
  ['converted', 'circle-check'],
  ['spam', 'ban'],
] as const;

interface MenuGiven {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** The letter that opens it. */
  readonly letter?: string;
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

/** Gives a conversation to somebody with a note. */
function Handover({ page, thread, team, filters }: HeadGiven): Html {
  return (
    <>
      <hr />
      <Act class="menu-custom" action={page.link(`${thread.path}handover/`, filters)} csrf={page.csrf}>
        <Once />
        <label class="label" for="handover-to">
          {said.handover.title}
        </label>
        <select class="input" id="handover-to" name="to" required>
          <option value="">{said.handover.choose}</option>
          {team.answerers
            .filter(({ id }) => id !== page.member.id)
            .map(({ id, name, email }) => (
              <option value={`assigned_member-${id}`}>{name || email}</option>
            ))}
          {team.inboxes.map(({ id, name }) => (
            <option value={`assigned_team_inbox-${id}`}>{name}</option>
          ))}
        </select>
        <textarea
          class="input"
          id="handover-note"
          name="note"
          rows={2}
          dir="auto"
          required
          aria-label={words.thread.note}
        ></textarea>
        <button class="button button-small button-main">{said.handover.button}</button>
      </Act>
    </>
  );
}

/** Snoozes until a time that is typed. */
function OtherTime({ page, thread, action }: ActGiven): Html {
  const zone = page.workspace.timezone;
  const { snoozed_until: until } = thread.conversation;
  return (
    <>
      <hr />
      <Act class="menu-custom" action={action} csrf={page.csrf}>
        <Hidden values={snoozed} />
        <label class="label" for="until-local">
          {said.otherTime} <span class="soft">({zone})</span>
        </label>
        <div class="row">
          <input
            class="input"
            id="until-local"
            name="until_local"
            type="datetime-local"
            min={localOf(page.now, zone)}
            value={localOf(new Date(until ?? page.now.getTime() + 86_400_000), zone)}
            required
          />
          <button class="button button-small button-main">{said.snooze}</button>
        </div>
      </Act>
    </>
  );
}

/** Takes the thread from another application; where one took part, gives it back. */
function Owner({ page, thread, filters }: HeadGiven): Html {
  const isOurs = thread.conversation.thread_owner === '';
  const { give, take } = said.owner;
  const choice: Choice = isOurs
    ? { name: 'action', value: 'release', label: give.choice, icon: 'bot' }
    : { name: 'action', value: 'take', label: take, icon: 'user' };
  const ask = isOurs ? asking(give) : {};
  return (
    <Act action={page.link(`${thread.path}thread/`, filters)} csrf={page.csrf} {...ask}>
      {/* After the question it is not known any more which button was pressed. */}
      <Hidden values={[['action', String(choice.value)]]} />
      <Choices choices={[choice]} />
    </Act>
  );
}

function memberChoices({ page, thread, team }: HeadGiven): readonly Choice[] {
  const { assigned_member: assigned } = thread.conversation;
  const name = 'assigned_member';
  const me = page.member.id;
  // What is assigned to somebody who may not answer would wait.
  const isMeOffered = assigned !== me && page.can('chat.send_message');
  return [
    ...(isMeOffered ? [{ name, value: me, label: said.me, icon: 'user' as const }] : []),
    ...team.answerers
      .filter(({ id }) => id !== me)
      .map((member) => {
        const label = member.name || member.email;
        return {
          name,
          value: member.id,
          label,
          face: { id: member.id, name: label },
          isCurrent: member.id === assigned,
        };
      }),
    ...(assigned ? [{ name, value: '', label: said.nobody, icon: 'x' as const }] : []),
  ];
}

function inboxChoices({ thread, team }: HeadGiven): readonly Choice[] {
  const { assigned_team_inbox: assigned } = thread.conversation;
  const name = 'assigned_team_inbox';
  return [
    ...team.inboxes.map(({ id, name: label }) => ({
      name,
      value: id,
      label,
      icon: 'users' as const,
      isCurrent: id === assigned,
    })),
    ...(assigned && team.inboxes.length > 0 ? [{ name, value: '', label: said.noInbox, icon: 'x' as const }] : []),
  ];
}

function macroChoice({ id, name, description, actions }: HeadParts['macros'][number]): Choice {
  return {
    name: 'macro',
    value: id,
    label: name,
    icon: 'zap',
    hint: description,
    // What reaches the customer at once is known before it is chosen.
    ...(sends({ actions }) ? { detail: said.sends } : {}),
  };
}

/** Returns whether a macro has a step that sends. */
export function sends({ actions }: Pick<MacroView, 'actions'>): boolean {
  return objectsOf(actions).some(({ type }) => String(type).startsWith('send_'));
}
