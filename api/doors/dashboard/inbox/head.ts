import type { MacroView } from '../../../services/resources/macros/serializer';
import { objectsOf, type Team } from '../lookups';
import type { IconName } from '../icons';
import { initialOf } from '../formats';
import type { PageRequest } from '../page';
import type { InboxFilters } from './filters';
import type { ThreadView } from './load';
import type { SnoozePreset } from './snooze';

/** An entry of a menu: a button of its form. */
interface Choice {
  readonly name: string;
  readonly value: string | number;
  readonly label: string;
  readonly icon?: IconName;
  /** The letter of a colleague. */
  readonly avatar?: string;
  /** Small words behind the label. */
  readonly detail?: string;
  readonly hint?: string;
  /** What holds now. */
  readonly isCurrent?: boolean;
}

/** A menu: the button that opens it, and the form in it. */
interface Menu {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  readonly key: string;
  /** What it does, with its key. */
  readonly title: string;
  readonly action: string;
  readonly hidden: readonly (readonly [string, string])[];
  readonly choices: readonly Choice[];
  /** Choices below a line. */
  readonly more: readonly Choice[];
  /** What is asked before; null: nothing. */
  readonly question: { readonly title: string; readonly text: string; readonly button: string } | null;
}

/** Whom a conversation can be handed over to: `assigned_member-7`. */
interface HandoverChoice {
  readonly value: string;
  readonly label: string;
}

/** The head of a thread: who it is, in what state, and what can be done. */
interface HeadView {
  readonly back: string;
  readonly tags: readonly { readonly text: string; readonly style: string }[];
  /** Whose it is, in which team inbox. */
  readonly owner: string;
  readonly action: string;
  /** Empty for who may only read. */
  readonly menus: readonly Menu[];
  /** Whom it can be given to with a note; null for who may not. */
  readonly handover: { readonly action: string; readonly choices: readonly HandoverChoice[] } | null;
  /** The button that ends the work, or begins it again. */
  readonly end: Choice & { readonly hint: string };
}

interface HeadParts {
  readonly thread: ThreadView;
  readonly filters: InboxFilters;
  readonly team: Team;
  readonly macros: readonly Pick<MacroView, 'id' | 'name' | 'description' | 'actions'>[];
  readonly snooze: { readonly presets: readonly SnoozePreset[] };
}

const priorities = ['urgent', 'high', 'normal', 'low'] as const;
const marks: readonly (readonly [status: string, icon: IconName])[] = [
  ['open', 'inbox'],
  ['pending', 'timer'],
  ['converted', 'circle-check'],
  ['spam', 'ban'],
];

/** Builds the head from what stands around the thread. */
export function headView(page: PageRequest, parts: HeadParts): HeadView {
  const { thread, filters } = parts;
  const { conv_status: status } = thread.conversation;
  const action = page.link(`${thread.path}state/`, filters);
  const isOpen = status === 'open' || status === 'pending';
  return {
    back: page.link('/dashboard/inbox/', filters),
    tags: tagsOf(page, thread),
    owner: ownerOf(page, parts),
    action,
    menus: page.may('conversations.update') ? menusOf(page, parts, action) : [],
    handover: page.may('handovers.create')
      ? { action: page.link(`${thread.path}handover/`, filters), choices: handoverChoices(page, parts) }
      : null,
    end: isOpen
      ? { name: 'conv_status', value: 'resolved', label: 'Done', icon: 'check', hint: 'Done (e)' }
      : { name: 'conv_status', value: 'open', label: 'Open', icon: 'inbox', hint: 'Open again (e)' },
  };
}

/** Who else may have a thread. */
const ownerWords: Readonly<Record<string, string>> = { meta_business_agent: "The platform's agent" };

function tagsOf(page: PageRequest, { conversation }: ThreadView): HeadView['tags'] {
  const { conv_status: status, priority, snoozed_until: until, thread_owner: owner } = conversation;
  return [
    ...(owner === '' ? [] : [{ text: `${ownerWords[owner] ?? 'Another application'} answers`, style: 'tag-warn' }]),
    ...(status === 'snoozed'
      ? [{ text: `Snoozed until ${page.moment(until)}`, style: 'tag-warn' }]
      : status === 'open'
        ? []
        : [{ text: status, style: status === 'resolved' ? 'tag-good' : '' }]),
    ...(priority === 'urgent' ? [{ text: priority, style: 'tag-bad' }] : []),
    ...(priority === 'high' ? [{ text: priority, style: 'tag-warn' }] : []),
  ];
}

function ownerOf(page: PageRequest, { thread, team }: HeadParts): string {
  const { assigned_member: memberId, assigned_team_inbox: inboxId } = thread.conversation;
  const member = team.members.find(({ id }) => id === memberId);
  const inbox = team.inboxes.find(({ id }) => id === inboxId);
  const owner = !memberId
    ? 'Unassigned'
    : memberId === page.member.id
      ? 'Yours'
      : member?.name || member?.email || 'Assigned';
  return inbox ? `${owner} · ${inbox.name}` : owner;
}

function menusOf(page: PageRequest, parts: HeadParts, action: string): readonly Menu[] {
  const { thread, filters, macros, snooze } = parts;
  const { priority, conv_status: status } = thread.conversation;
  const menu = (id: string, label: string, icon: IconName, key: string, choices: readonly Choice[]): Menu => ({
    id,
    label,
    icon,
    key,
    title: key ? `${label} (${key})` : label,
    action,
    hidden: [],
    choices,
    more: [],
    question: null,
  });
  const runs = macros.map(({ id, name, description, actions }) => ({
    name: 'macro',
    value: id,
    label: name,
    icon: 'zap' as const,
    hint: description,
    // What reaches the customer at once is known before it is chosen.
    ...(sends({ actions }) ? { detail: 'sends' } : {}),
  }));
  return [
    { ...menu('assign', 'Assign', 'user-plus', 'a', memberChoices(page, parts)), more: inboxChoices(parts) },
    menu(
      'priority',
      'Priority',
      'flag',
      'p',
      priorities.map((value) => ({
        name: 'priority',
        value,
        label: capital(value),
        isCurrent: value === priority,
      })),
    ),
    {
      ...menu(
        'snooze',
        'Snooze',
        'clock',
        's',
        snooze.presets.map(({ value, label, detail }) => ({ name: 'until', value, label, detail })),
      ),
      hidden: [['conv_status', 'snoozed']],
    },
    ...(runs.length > 0 && page.may('macros.run')
      ? [
          {
            ...menu('macros', 'Run a macro', 'zap', 'm', runs),
            action: page.link(`${thread.path}macro/`, filters),
          },
        ]
      : []),
    ...threadMenus(page, parts, menu),
    menu(
      'more',
      'More',
      'ellipsis',
      '',
      marks
        .filter(([value]) => value !== status)
        .map(([value, icon]) => ({ name: 'conv_status', value, label: `Mark as ${value}`, icon })),
    ),
  ];
}

/** Takes the thread from another application; where one took part, gives it back. */
function threadMenus(
  page: PageRequest,
  { thread, filters }: HeadParts,
  menu: (id: string, label: string, icon: IconName, key: string, choices: readonly Choice[]) => Menu,
): readonly Menu[] {
  const isOurs = thread.conversation.thread_owner === '';
  if (isOurs && !thread.isShared) return [];
  const choice: Choice = isOurs
    ? { name: 'action', value: 'release', label: 'Give the thread back', icon: 'bot' }
    : { name: 'action', value: 'take', label: 'Take the thread', icon: 'user' };
  return [
    {
      ...menu('thread', 'Whose thread', 'bot', '', [choice]),
      action: page.link(`${thread.path}thread/`, filters),
      // After the question it is not known any more which button was pressed.
      hidden: [['action', String(choice.value)]],
      question: isOurs
        ? {
            title: 'Give the thread back?',
            text: 'The other application answers this customer again, who does not count as waiting meanwhile.',
            button: 'Give back',
          }
        : null,
    },
  ];
}

function memberChoices(page: PageRequest, { thread, team }: HeadParts): readonly Choice[] {
  const { assigned_member: assigned } = thread.conversation;
  const name = 'assigned_member';
  const me = page.member.id;
  // What is assigned to somebody who may not answer would wait.
  const isMeOffered = assigned !== me && page.can('chat.send_message');
  return [
    ...(isMeOffered ? [{ name, value: me, label: 'Me', icon: 'user' as const }] : []),
    ...team.answerers
      .filter(({ id }) => id !== me)
      .map((member) => {
        const label = member.name || member.email;
        return { name, value: member.id, label, avatar: initialOf(label), isCurrent: member.id === assigned };
      }),
    ...(assigned ? [{ name, value: '', label: 'Nobody', icon: 'x' as const }] : []),
  ];
}

function handoverChoices(page: PageRequest, { team }: HeadParts): readonly HandoverChoice[] {
  return [
    ...team.answerers
      .filter(({ id }) => id !== page.member.id)
      .map(({ id, name, email }) => ({ value: `assigned_member-${id}`, label: name || email })),
    ...team.inboxes.map(({ id, name }) => ({ value: `assigned_team_inbox-${id}`, label: name })),
  ];
}

function inboxChoices({ thread, team }: HeadParts): readonly Choice[] {
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
    ...(assigned && team.inboxes.length > 0 ? [{ name, value: '', label: 'No team inbox', icon: 'x' as const }] : []),
  ];
}

/** Returns whether a macro has a step that sends. */
export function sends({ actions }: Pick<MacroView, 'actions'>): boolean {
  return objectsOf(actions).some(({ type }) => String(type).startsWith('send_'));
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
