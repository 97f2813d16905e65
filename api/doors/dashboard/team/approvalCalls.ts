import { isPlainObject } from '../../../core/http/fields';
import type { Answer, Wire } from '../../../core/http/shapes';
import type { approvalShape } from '../../../services/processes/approvals/operations';
import { asText, objectsOf, type Lookups } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';
import { describeStep, stageName, type StepText } from './stepTexts';

const { calls } = words.approvals;

/** A call of an agent that waits, or was decided. */
export type Approval = typeof approvalShape extends Wire<infer T> ? Answer<T> : never;
export type Send = Approval['sends'][number];

/** What a parked call would do, as its card says it. */
interface Parked {
  readonly title: string;
  /** Whom it reaches; null where the call names none. */
  readonly to: Send['recipients'][number] | null;
  readonly steps: readonly StepText[];
}

/** Says what a parked call would do. */
export function describeCall(page: PageRequest, approval: Approval, lookups: Lookups): Parked {
  const { arguments: input, tool, sends } = approval;
  const message = sends.find(({ kind }) => kind === 'message');
  const [to = null] = message?.recipients ?? [];
  const waiting = [...sends];
  const told = (text: string, isIt: (send: Send) => boolean): StepText => {
    const send = waiting.find(isIt);
    if (!send) return { text };
    waiting.splice(waiting.indexOf(send), 1);
    return { text: send.kind === 'message' ? text : calls.reaching(text, reachText(send)), says: send.text };
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
    const name = approval.macro_name ?? asText(input['id']);
    const ticket = input['ticket_id'];
    return { title: ticket ? calls.macroOnTicket(name, asText(ticket)) : calls.macro(name), to, steps };
  }
  if (tool === 'update_ticket' || tool === 'move_stage') {
    const changes = Object.entries(input).filter(([key, value]) => key !== 'id' && value !== undefined);
    const steps = changes.map(([key, value]) =>
      key === 'stage'
        ? moved(calls.move(stageName(lookups, value)), value)
        : { text: calls.change(key.replaceAll('_', ' '), asText(value)) },
    );
    // The first stage of a pipeline that is named without one.
    const others = waiting.map((send) => told(calls.move(String(send.stage_name)), (other) => other === send));
    return { title: calls.ticket(asText(input['id'])), to, steps: [...steps, ...others] };
  }
  const what = message?.template ? calls.template : calls.message;
  const title = message?.send_at ? calls.at(what, page.moment(message.send_at)) : what;
  return { title, to, steps: message ? [{ text: '', says: message.text }] : [] };
}

/** Says whom a move reaches: how many, and the first names. */
function reachText({ recipients, recipients_total: total }: Send): string {
  const names = recipients.map(({ name, receiver_id: handle }) => name || handle).join(', ');
  return total === 1 ? calls.reachesOne(names) : calls.reaches(total, names, total - recipients.length);
}
