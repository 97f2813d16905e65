import { decide, type Waiting } from '../../api/services/resources/inboxes/assignment/decide';
import type { Seat } from '../../api/services/resources/inboxes/memberCapacity';

/** A stretch of random numbers that a seed repeats (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Person {
  id: number;
  capacity: number | null;
  isActive: boolean;
  isAway: boolean;
  open: number;
  turn: number;
  /** When they were given something last, by the count of all that was given. */
  given: number;
}

interface Talk {
  readonly id: number;
  isOpen: boolean;
  member: Person | null;
}

/**
 * Plays random events over a team inbox, asks for the decision after each, and throws where it breaks a promise:
 * what waits while a member is there and has room, two owners, more than a capacity, or another order than C18's.
 */
export function playAssignment(seed: number, events: number, mode: 'balanced' | 'round_robin'): void {
  const random = randomOf(seed);
  const people = Array.from({ length: 5 }, (_unused, index): Person => {
    const capacity = index === 0 ? null : 1 + index;
    return { id: index + 1, capacity, isActive: true, isAway: index === 0, open: 0, turn: 0, given: 0 };
  });
  const talks = Array.from({ length: 30 }, (_unused, index): Talk => ({ id: index + 1, isOpen: false, member: null }));
  /** Those about whom is to be decided, in the order in which they began to wait. */
  let queue: Talk[] = [];
  let gifts = 0;
  const isHere = (person: Person): boolean => person.isActive && !person.isAway;
  const hasRoom = (person: Person): boolean => person.capacity === null || person.open < person.capacity;
  const refuse = (condition: boolean, what: string, event: number): void => {
    if (condition) throw new Error(`${what} (seed ${seed}, event ${event}, ${mode})`);
  };
  /** Counts again what each has: the slow and obvious way. */
  const count = (): void => {
    for (const person of people) person.open = 0;
    for (const talk of talks) if (talk.isOpen && talk.member && !queue.includes(talk)) talk.member.open += 1;
  };

  const happen = (): void => {
    const talk = talks[random(talks.length)] as Talk;
    const person = people[random(people.length)] as Person;
    switch (random(9)) {
      case 0:
      case 1:
      case 2: // A customer writes: a new conversation, or one that opens again.
        if (talk.isOpen) return;
        talk.isOpen = true;
        if (random(3) === 0) talk.member = null;
        queue.push(talk);
        return;
      case 3:
      case 4:
        talk.isOpen = false;
        queue = queue.filter((one) => one !== talk);
        return;
      case 5:
        person.isAway = !person.isAway;
        return;
      case 6:
        person.capacity = random(6) || null;
        return;
      case 7: {
        person.isActive = random(2) === 0;
        if (person.isActive) return;
        const left = talks.filter((one) => one.isOpen && one.member === person && !queue.includes(one));
        queue.push(...left);
        return;
      }
      default: // By hand, to anybody.
        if (!talk.isOpen || !person.isActive) return;
        talk.member = person;
        queue = queue.filter((one) => one !== talk);
    }
  };

  for (let event = 0; event < events; event += 1) {
    happen();
    count();
    const seats: Seat[] = people.map((person) => ({ ...person, memberId: person.id, isPresent: isHere(person) }));
    const waiting: Waiting[] = queue.map(({ id, member }) => ({ conversationId: id, memberId: member?.id ?? null }));
    const { decisions, turns, why } = decide(mode, seats, waiting);

    const left = [...queue];
    let isPassedOver = false;
    for (const { id: conversationId, member: had } of left) {
      const made = decisions.filter((one) => one.conversationId === conversationId);
      refuse(made.length > 1, 'one conversation was decided about twice', event);
      const [decision] = made;
      const to = people.find(({ id }) => id === decision?.to) ?? null;
      const talk = talks.find(({ id }) => id === conversationId) as Talk;
      refuse(
        decision !== undefined && decision.from !== (had?.id ?? null),
        'it names another owner than it had',
        event,
      );
      refuse(had !== null && isHere(had) && hasRoom(had) && to !== had, 'it does not return to whom it had', event);
      const fit = people.filter((person) => isHere(person) && hasRoom(person));
      refuse(to === null && fit.length > 0, 'somebody waits while somebody has room', event);
      refuse(to !== null && !fit.includes(to), 'somebody got it who is away or full', event);
      refuse(to !== null && isPassedOver, 'somebody who came later was served before', event);
      if (to === null) isPassedOver = true;
      else if (to !== had) {
        const best =
          mode === 'balanced'
            ? Math.min(...fit.map(({ open }) => open)) === to.open
            : Math.min(...fit.map(({ given }) => given)) === to.given;
        refuse(!best, 'another member was to have it', event);
        to.given = gifts += 1;
        to.turn = turns.get(to.id) ?? -1;
      }
      talk.member = to;
      if (to) {
        to.open += 1;
        queue = queue.filter((one) => one !== talk);
      }
    }
    refuse(decisions.length > left.length, 'something was decided that was not asked', event);
    refuse((why === null) !== (queue.length === 0), 'it does not say why somebody waits', event);
  }
}
