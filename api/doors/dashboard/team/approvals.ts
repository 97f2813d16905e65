import { approvalExpiryStart } from '../../../../workflows/starts';
import type { Scope } from '../../../core/http/access';
import type { FieldErrors } from '../../../core/http/errors';
import { isPlainObject } from '../../../core/http/fields';
import { showInvisibleIn } from '../../../core/http/invisible';
import { isoTime } from '../../../core/http/shapes';
import type { Page } from '../../../core/http/operations';
import { contactIdsOf } from '../../../services/resources/contacts/handles';
import type { MessageView } from '../../../services/resources/messages/serializer';
import { newestMessages } from '../../../services/resources/messages/service';
import { countAsking } from '../../../services/processes/approvals/service';
import { badgeView, pagerView, statusTag, type TagView } from '../fieldViews';
import { withPlus } from '../inbox/load';
import { snippetOf } from '../inbox/snippets';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asText, loadLookups, objectsOf, type Json, type Lookups } from '../lookups';
import { describeStep, stageName, type StepText } from './stepTexts';

const path = '/dashboard/approvals/';
const place = 'approvals';

interface Approval {
  readonly id: number;
  readonly connection: { readonly kind: string; readonly id: number; readonly name: string };
  readonly requested_by: { readonly name: string } | null;
  readonly autonomy: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly macro_name: string | null;
  readonly steps: unknown;
  readonly sends: readonly Send[];
  readonly status: string;
  /** What the call gave, or what was sent in its place. */
  readonly result: unknown;
  readonly note: string | null;
  readonly required_scopes: readonly Scope[];
  readonly digest: string;
  readonly decided_by: { readonly name: string } | null;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly expires_at: string | null;
}

/** What customers would get, as the API shows it. */
interface Send {
  readonly kind: string;
  readonly stage: number | null;
  readonly stage_name: string | null;
  readonly send_at: string | null;
  readonly recipients_total: number;
  readonly recipients: readonly { readonly receiver_id: string; readonly name: string }[];
  readonly template: object | null;
  readonly text: string;
  readonly body: Json;
}

/** What a parked call would do, as its card says it. */
interface Parked {
  readonly title: string;
  /** Whom it reaches; null where the call names none. */
  readonly to: ReceiverView | null;
  readonly steps: readonly StepText[];
}

interface ReceiverView {
  readonly name: string;
  /** How they are reached, beside their name; empty where they have no other. */
  readonly handle: string;
  /** Their conversation, where the member may see it. */
  readonly href: string | null;
}

/** A parked call as its card shows it. */
interface CardView extends Parked {
  readonly id: number;
  readonly state: TagView;
  /** The agent, and for whom it acts. */
  readonly agent: string;
  readonly askedAt: string;
  /** How it was decided, and by whom; null: it was not. */
  readonly decided: { readonly text: string; readonly at: string | null } | null;
  readonly exact: string;
  readonly workflow: string | null;
  /** It waits, and who looks at it may decide, waits for others, or it is over. */
  readonly asks: 'this member' | 'others' | 'nobody';
  readonly scopes: string;
  readonly digest: string;
  readonly path: string;
  /** What was written last in the conversation that it goes to, the newest last. */
  readonly before: readonly Line[];
  /** The text that can be changed before it is sent; null: none. */
  readonly text: string | null;
  /** Why it was rejected; empty: nobody said. */
  readonly note: string;
}

/** A message as one line. */
interface Line {
  readonly who: string;
  readonly text: string;
  readonly at: string;
}

const states = [
  ['pending', 'Waiting'],
  ['approved', 'Approved'],
  ['rejected', 'Rejected'],
  ['expired', 'Expired'],
  ['all', 'All'],
] as const;

/** The calls of agents that wait for a member, and those that were decided. */
export const approvalPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'chat.view',
    run: async (page) => {
      if (page.query['part'] === 'badge')
        return page.part('/partials/badge', badgeView('approvals', await countAsking(page.ctx)));
      const status = page.query['status'] ?? 'pending';
      const list = await page.call<Page<Approval>>('approvals.list', {
        ...(status === 'all' ? {} : { status }),
        page: page.query['page'],
        cursor: page.query['cursor'],
        page_size: 20,
      });
      const [lookups, written, follows] = await Promise.all([
        loadLookups(page),
        linesOf(page, list.items),
        followsOf(page, list.items),
      ]);
      const cards = list.items.map((item) => card(page, item, lookups, written));
      const tabs = states.map(([value, label]) => ({
        label,
        href: page.link(path, { status: value }),
        isCurrent: value === status,
      }));
      const data = { cards, tabs, follows, isWaiting: status === 'pending', pager: pagerView(list, path, { status }) };
      return page.page('/approvals/list', data, { title: 'Approvals', place });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope: 'chat.view',
    run: (page) => one(page, {}),
  },
  decision('approve', 'Approved.', ({ form }) => ({ digest: form['digest'] })),
  decision('reject', 'Rejected. Nothing was sent.', ({ form }) => ({ note: form['note'] })),
  decision('answer', 'Sent in your name. What the agent wrote is rejected.', ({ form }) => ({
    text: form['text'],
    digest: form['digest'],
  })),
]);

function decision(
  what: 'approve' | 'reject' | 'answer',
  done: string,
  given: (page: PageRequest) => Json,
): ReturnType<typeof definePages>[number] {
  return {
    method: 'POST',
    path: `${path}:id/${what}/`,
    scope: 'chat.view',
    run: async (page) => {
      const decided = await page.attempt(() =>
        page.call(`approvals.${what}`, { id: page.params['id'], ...given(page) }),
      );
      if ('errors' in decided) return one(page, { errors: decided.errors, status: 409 });
      return page.redirect(path, { text: done });
    },
  };
}

async function one(
  page: PageRequest,
  { errors, status }: { readonly errors?: FieldErrors; readonly status?: number },
): Promise<PageAnswer> {
  const approval = await page.call<Approval>('approvals.get', { id: page.params['id'] });
  const [lookups, written, follows] = await Promise.all([
    loadLookups(page),
    linesOf(page, [approval]),
    followsOf(page, [approval]),
  ]);
  const shown = card(page, approval, lookups, written);
  const data = {
    card: shown,
    follows,
    // What was typed and refused is there again, also where it is too late for it.
    takesWords: shown.asks === 'this member' || Boolean(page.form['text'] || page.form['note']),
    text: shown.text === null ? null : (page.form['text'] ?? shown.text),
    note: page.form['note'] ?? '',
    errors,
    path,
  };
  return page.page('/approvals/one', data, { title: 'Approval', place, ...(status ? { status } : {}) });
}

/** Returns of what news approvals are shown anew: of decisions, and of what the customers who wait for them write. */
async function followsOf(page: PageRequest, approvals: readonly Approval[]): Promise<string> {
  const handles = approvals.flatMap((approval) => waitingFor(approval)?.receiver_id ?? []);
  const contacts = await contactIdsOf(page.ctx, [...new Set(handles)]);
  // A conversation has the id of its contact.
  return [`approvals ${page.workspace.id}`, ...[...contacts.values()].map((id) => `conversation ${id}`)].join(', ');
}

const linesBefore = 3;

/** The customer to whom a call sends a message that waits; undefined where there is none. */
const waitingFor = ({ status, sends }: Approval): Send['recipients'][number] | undefined =>
  status === 'pending' ? sends.find(({ kind }) => kind === 'message')?.recipients[0] : undefined;

/** Loads what was written last in the conversations that messages wait for, by their customers. */
async function linesOf(
  page: PageRequest,
  approvals: readonly Approval[],
): Promise<ReadonlyMap<string, readonly Line[]>> {
  const people = approvals.flatMap((approval) => waitingFor(approval) ?? []);
  const names = new Map(people.map(({ receiver_id: receiver, name }) => [receiver, name || withPlus(receiver)]));
  const newest = await newestMessages(page.ctx, [...names.keys()], linesBefore);
  const lineOf = (message: MessageView, name: string): Line => ({
    who: message.direction === 'inbound' ? name : asText(message.written_by?.['name']) || message.sender?.name || 'You',
    text: snippetOf(message),
    at: isoTime(message.created_at),
  });
  return new Map(
    [...names].map(([receiver, name]) => [
      receiver,
      (newest.get(receiver) ?? []).toReversed().map((message) => lineOf(message, name)),
    ]),
  );
}

function card(
  page: PageRequest,
  given: Approval,
  lookups: Lookups,
  written: ReadonlyMap<string, readonly Line[]>,
): CardView {
  // A member must see what is sent, also what an eye would miss.
  const approval = showInvisibleIn(given);
  const { arguments: input, sends, expires_at: expiresAt, required_scopes: scopes, status } = approval;
  const { connection, requested_by: member, decided_by: decider } = approval;
  const mayDecide = page.may('approvals.approve') && scopes.every((scope) => page.can(scope));
  const isReplaced = status === 'rejected' && approval.result !== null;
  const exact = JSON.stringify({ arguments: input, sends }, null, 2);
  return {
    ...describeCall(page, approval, lookups),
    id: approval.id,
    state: stateOf(page, approval),
    agent: member ? `${connection.name}, for ${member.name}` : connection.name,
    askedAt: approval.created_at,
    decided: decider && {
      text: isReplaced ? `answered with another text by ${decider.name}` : `${status} by ${decider.name}`,
      at: approval.decided_at,
    },
    exact: `${approval.tool} ${exact}`,
    workflow: expiresAt === null ? null : page.workflow(approvalExpiryStart(page.workspace.id, approval.id)),
    asks: status !== 'pending' ? 'nobody' : mayDecide ? 'this member' : 'others',
    scopes: scopes.join(', '),
    digest: approval.digest,
    path: `${path}${approval.id}/`,
    before: written.get(waitingFor(given)?.receiver_id ?? '') ?? [],
    text: mayDecide && page.may('approvals.answer') ? textOf(approval) : null,
    note: approval.note ?? '',
  };
}

/** Returns the text of a call that sends one message of plain text and nothing else; null for any other. */
function textOf({ steps, sends, tool }: Approval): string | null {
  const [send] = sends;
  if (steps !== null || tool !== 'send_message' || send?.body['type'] !== 'text') return null;
  const { text } = send.body;
  return isPlainObject(text) ? asText(text['body']) : null;
}

function stateOf(page: PageRequest, { status, autonomy, expires_at: expiresAt }: Approval): TagView {
  if (status !== 'pending') return statusTag(status);
  if (autonomy === 'draft') return { text: 'draft', style: '' };
  return { text: `waits for ${page.remaining(expiresAt)} more`, style: 'tag-warn' };
}

/** Returns whom a call reaches. */
function receiverView(page: PageRequest, { name, receiver_id: handle }: Send['recipients'][number]): ReceiverView {
  return {
    name: name || withPlus(handle),
    handle: name ? withPlus(handle) : '',
    href: page.can('chat.view') && handle ? `/dashboard/inbox/${encodeURIComponent(handle)}/` : null,
  };
}

function describeCall(page: PageRequest, approval: Approval, lookups: Lookups): Parked {
  const { arguments: input, tool, sends } = approval;
  const message = sends.find(({ kind }) => kind === 'message');
  const [person] = message?.recipients ?? [];
  const to = person ? receiverView(page, person) : null;
  const waiting = [...sends];
  const told = (text: string, isIt: (send: Send) => boolean): StepText => {
    const send = waiting.find(isIt);
    if (!send) return { text };
    waiting.splice(waiting.indexOf(send), 1);
    return { text: send.kind === 'message' ? text : `${text}. ${reachWords(send)}`, says: send.text };
  };
  const moved = (text: string, stage: unknown): StepText => told(text, (send) => send.stage === Number(stage));

  if (approval.steps !== null) {
    const steps = objectsOf(approval.steps).map(({ type, params }) => {
      const given = isPlainObject(params) ? params : {};
      const { text } = describeStep(asText(type), given, lookups);
      if (type === 'move_stage') return moved(text, given['stage']);
      return type === 'send_message' || type === 'send_template'
        ? told(text, ({ kind }) => kind === 'message')
        : { text };
    });
    const target = input['ticket_id'] ? ` on ticket ${asText(input['ticket_id'])}` : '';
    return { title: `Run the macro “${approval.macro_name ?? asText(input['id'])}”${target}`, to, steps };
  }
  if (tool === 'update_ticket' || tool === 'move_stage') {
    const changes = Object.entries(input).filter(([key, value]) => key !== 'id' && value !== undefined);
    const steps = changes.map(([key, value]) =>
      key === 'stage'
        ? moved(`Move to ${stageName(lookups, value)}`, value)
        : { text: `${key.replaceAll('_', ' ')}: ${asText(value)}` },
    );
    // The first stage of a pipeline that is named without one.
    const others = waiting.map((send) => told(`Move to ${send.stage_name}`, (other) => other === send));
    return { title: `Change ticket ${asText(input['id'])}`, to, steps: [...steps, ...others] };
  }
  const what = message?.template ? 'Send a template' : 'Send a message';
  const title = message?.send_at ? `${what} ${page.moment(message.send_at)}` : what;
  return { title, to, steps: message ? [{ text: '', says: message.text }] : [] };
}

/** Says whom a move reaches: how many, and the first names. */
function reachWords({ recipients, recipients_total: total }: Send): string {
  const names = recipients.map(({ name, receiver_id: handle }) => name || handle).join(', ');
  const more = total > recipients.length ? ` and ${total - recipients.length} more` : '';
  if (total === 1) return `Reaches one person: ${names}.`;
  return `Reaches ${total} people: ${names}${more}.${total > 1 ? ' The first reads:' : ''}`;
}
