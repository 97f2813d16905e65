import { localOf } from '../../../core/zones';
import type { MacroView } from '../../../services/resources/macros/serializer';
import { sentence } from '../fieldViews';
import { Act, Hidden, Once } from '../formParts';
import type { Html } from '../html';
import type { IconName } from '../icons';
import { objectsOf, type Team } from '../lookups';
import type { PageRequest } from '../page';
import { asking } from '../parts';
import { words } from '../words';
import { Choices, type Choice } from '../menuChoices';
import type { InboxFilters } from './filters';
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

export interface HeadGiven extends HeadParts {
  readonly page: PageRequest;
  /** It takes the place of the one in the page. */
  readonly outOfBand?: boolean;
}

const priorities = ['urgent', 'high', 'normal', 'low'] as const;
const snoozed = [['conv_status', 'snoozed']] as const;

/** What can be done with a conversation by a menu of its own. */
export interface Tool {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** The letter that opens it. */
  readonly letter?: string;
  readonly draw: () => Html;
}

/** Returns what the member may do so. */
export function toolsOf(given: HeadGiven): readonly Tool[] {
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
