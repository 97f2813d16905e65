import { maxCalmLateMs, type Invariant } from './end';
import { byRow, msOf, sees, type Step } from './steps';

type Json = Readonly<Record<string, unknown>>;

/** Longer than any outage of a run: by then its timer, or the look for what is overdue, has sent it. */
const maxLateMs = 300_000;
/** Later than this after its moment it is held. */
const heldAfterMs = 3_600_000;

/** A message for later that was sent: when it was set, as it was then, and when it was queued. */
interface Sent {
  readonly id: number;
  readonly set: Step;
  readonly row: Json;
  readonly queued: Step;
}

const scheduledIn = (steps: readonly Step[]): Map<number, Step[]> => byRow(steps, 'scheduled_messages');
const storedIn = (steps: readonly Step[], id: number): Step[] => byRow(steps, 'messages').get(id) ?? [];

/** Returns those that were sent at their moment, and not because somebody asked for it. */
function sentIn(steps: readonly Step[], byHand: ReadonlySet<number>): Sent[] {
  return [...scheduledIn(steps)].flatMap(([id, own]) => {
    const queued = storedIn(steps, id)[0];
    const set = own.findLast(({ after }) => after?.['state'] === 'scheduled');
    return queued && set?.after && !byHand.has(id) ? [{ id, set, row: set.after, queued }] : [];
  });
}

const isInbound = (step: Step, row: Json): boolean =>
  step.of === 'messages' &&
  step.after?.['direction'] === 'inbound' &&
  step.after['conversation_id'] === row['conversation_id'];

/** What must hold of messages that are to be sent later. */
export const ofLater: Readonly<Record<string, Invariant>> = {
  'C24 a message for later is sent once, or held, or discarded because somebody asked for it': ({
    steps,
    days,
    messages,
  }) => {
    const discarded = new Set(days.later.filter(({ discard }) => discard !== 'no').map(({ id }) => id));
    return [
      ...[...scheduledIn(steps)].flatMap(([id, own]) => {
        const sent = storedIn(steps, id).length;
        const last = own.at(-1);
        if (last?.op !== 'DELETE')
          return last?.after?.['state'] === 'held' && sent === 0
            ? []
            : [`message ${id} still waits, sent ${sent} times`];
        const asked =
          discarded.has(id) ||
          (last.before?.['if_customer_writes'] === 'cancel' &&
            steps.some((step) => step.by === last.by && isInbound(step, last.before ?? {})));
        return sent === 1 || (sent === 0 && asked) ? [] : [`message ${id} is gone, and was sent ${sent} times`];
      }),
      ...days.later.flatMap(({ mark, id }) => {
        const rows = messages.filter((row) => row.mark === mark);
        return rows.length <= 1 && rows.every((row) => id === 0 || Number(row.id) === id)
          ? []
          : [`${mark} is message ${rows.map((row) => row.id).join()}`];
      }),
    ];
  },

  'C24 a message for later is found by its id until it is discarded': ({ steps, days }) =>
    days.notFound.flatMap(({ what, messageId, atMs }) => {
      if (messageId === undefined) return [];
      const gone = scheduledIn(steps).get(messageId)?.at(-1);
      const wasDiscarded = gone?.op === 'DELETE' && gone.atMs <= atMs && storedIn(steps, messageId).length === 0;
      return wasDiscarded ? [] : [`no message was found: ${what}`];
    }),

  'C24 no message for later is sent early, and none late': ({ scene, steps, days }) =>
    sentIn(steps, days.sentByHand).flatMap(({ id, row, queued }) => {
      const lateMs = queued.atMs - msOf(row, 'send_at');
      if (lateMs < -1) return [`message ${id} was queued ${Math.round(-lateMs)} ms before its moment`];
      const sinceMs = queued.atMs - Math.max(scene.isCalm ? 0 : scene.quietSinceMs, msOf(row, 'send_at'));
      return sinceMs > (scene.isCalm ? maxCalmLateMs : maxLateMs)
        ? [`message ${id} was queued ${Math.round(sinceMs)} ms late`]
        : [];
    }),

  'C24 nothing is sent that was discarded before': ({ scene, days, messages }) =>
    days.later
      .filter(({ discard }) => discard === 'accepted')
      .filter(({ mark }) => [...messages, ...scene.platform.accepted].some((one) => one.mark === mark))
      .map(({ mark }) => `${mark} was sent, which had been discarded`),

  'C24 what a customer wrote before the moment holds a message, or discards it': ({ steps, days }) =>
    sentIn(steps, days.sentByHand).flatMap(({ id, set, row, queued }) => {
      const written = steps.find(
        (step) => isInbound(step, row) && sees(queued, step) && !sees(set, step) && step.by !== set.by,
      );
      return written && row['if_customer_writes'] !== 'send'
        ? [`message ${id} was queued after the customer's ${String(written.after?.['id'])}`]
        : [];
    }),

  'C24 a message is held for a reason': ({ steps }) =>
    steps.flatMap((step) => {
      const { of, before, after, atMs, by } = step;
      if (of !== 'scheduled_messages' || after?.['state'] !== 'held' || before?.['state'] === 'held') return [];
      const isMeant =
        after['held_reason'] === 'late'
          ? atMs - msOf(after, 'send_at') > heldAfterMs
          : after['held_reason'] === 'customer_wrote' && steps.some((one) => one.by === by && isInbound(one, after));
      return isMeant
        ? []
        : [`message ${String(after['id'])} is held (${String(after['held_reason'])}) without a cause`];
    }),
};
