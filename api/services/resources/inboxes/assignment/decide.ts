import type { AssignmentMode } from '../../../../../models/enums';
import type { Decision } from '../../conversations/queue';
import type { Seat } from '../memberCapacity';

/** A conversation that waits for the decision; one that has opened again still names the member that it had. */
export interface Waiting {
  readonly conversationId: number;
  readonly memberId: number | null;
}

/** Why a conversation waits. */
type WhyNobody = 'nobody_sits_there' | 'all_are_away' | 'all_are_full';

interface Decided {
  readonly decisions: readonly Decision[];
  /** The new turns of those who were given something. */
  readonly turns: ReadonlyMap<number, number>;
  /** Null where none waits any more. */
  readonly why: WhyNobody | null;
}

/**
 * Decides who gets which of the conversations that wait, the first in the queue first (contract 18.7): whom it had, if
 * present and with room; else the member whose turn it is, or who has the fewest.
 */
export function decide(
  mode: Exclude<AssignmentMode, 'manual'>,
  seats: readonly Seat[],
  queue: readonly Waiting[],
): Decided {
  const here = new Map(seats.filter(({ isPresent }) => isPresent).map((seat) => [seat.memberId, { ...seat }]));
  const hasRoom = ({ open, capacity }: Seat): boolean => capacity === null || open < capacity;
  const isBefore = (one: Seat, other: Seat): boolean => {
    if (mode === 'balanced' && one.open !== other.open) return one.open < other.open;
    return one.turn === other.turn ? one.memberId < other.memberId : one.turn < other.turn;
  };
  const turns = new Map<number, number>();
  let lastTurn = Math.max(0, ...seats.map(({ turn }) => turn));
  let isWaiting = false;

  const decisions = queue.flatMap(({ conversationId, memberId: from }): Decision[] => {
    const had = from === null ? undefined : here.get(from);
    const next =
      had && hasRoom(had)
        ? had
        : [...here.values()]
            .filter(hasRoom)
            .reduce<Seat | undefined>((best, seat) => (best && isBefore(best, seat) ? best : seat), undefined);
    if (!next) {
      isWaiting = true;
      return from === null ? [] : [{ conversationId, from, to: null }];
    }
    const turn = next === had ? next.turn : (lastTurn += 1);
    if (next !== had) turns.set(next.memberId, turn);
    here.set(next.memberId, { ...next, open: next.open + 1, turn });
    return [{ conversationId, from, to: next.memberId }];
  });
  const why = here.size > 0 ? 'all_are_full' : seats.length > 0 ? 'all_are_away' : 'nobody_sits_there';
  return { decisions, turns, why: isWaiting ? why : null };
}
