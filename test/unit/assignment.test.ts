import { randomInt } from 'node:crypto';
import { decide } from '../../api/services/resources/inboxes/assignment/decide';
import { playAssignment } from '../support/assignmentModel';

const seat = (memberId: number, more: object = {}) => ({
  memberId,
  capacity: null,
  isPresent: true,
  open: 0,
  turn: 0,
  ...more,
});
const waiting = (...ids: number[]) => ids.map((conversationId) => ({ conversationId, memberId: null }));

it.each(['balanced', 'round_robin'] as const)('%s keeps its promises over random events', (mode) => {
  // A million of each are in test/faults.
  playAssignment(randomInt(2 ** 31), 50_000, mode);
});

it('takes turns in one mode, and whoever has the fewest in the other', () => {
  const seats = [seat(1, { open: 5 }), seat(2, { open: 1, turn: 4 }), seat(3, { open: 2, turn: 3 })];
  const given = (mode: 'balanced' | 'round_robin') =>
    decide(mode, seats, waiting(7, 8, 9)).decisions.map((one) => one.to);
  expect(given('round_robin')).toEqual([1, 3, 2]);
  expect(given('balanced')).toEqual([2, 3, 2]);
});

it('says why nobody was chosen', () => {
  const why = (...seats: ReturnType<typeof seat>[]) => decide('balanced', seats, waiting(7)).why;
  expect(why()).toBe('nobody_sits_there');
  expect(why(seat(1, { isPresent: false }))).toBe('all_are_away');
  expect(why(seat(1, { isPresent: false }), seat(2, { capacity: 1, open: 1 }))).toBe('all_are_full');
  expect(why(seat(1))).toBeNull();
});

it('gives what opens again to whom it had, before those who wait behind it, and else queues it', () => {
  const again = { conversationId: 7, memberId: 2 };
  expect(decide('balanced', [seat(1), seat(2, { open: 9 })], [again]).decisions).toEqual([
    { conversationId: 7, from: 2, to: 2 },
  ]);
  expect(decide('balanced', [seat(1, { capacity: 1 }), seat(2, { isPresent: false })], [again, ...waiting(8)])).toEqual(
    {
      decisions: [{ conversationId: 7, from: 2, to: 1 }],
      turns: new Map([[1, 1]]),
      why: 'all_are_full',
    },
  );
  expect(decide('balanced', [seat(2, { isPresent: false })], [again]).decisions).toEqual([
    { conversationId: 7, from: 2, to: null },
  ]);
});
