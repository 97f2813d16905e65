import type { SendOutcome } from '../../api/core/platform/answers';
import { afterAnswer, callsAtOnce, noAnswers, refusesAll } from '../../api/services/resources/broadcasts/runs/answers';
import { fc, runs } from '../support/properties';

const taken: SendOutcome = { kind: 'accepted', wamid: 'wamid.1' };
const refused = (code: number): SendOutcome => ({
  kind: 'rejected',
  class: 'permanent',
  code,
  title: 'Refused',
  message: '',
});
const after = (outcomes: readonly SendOutcome[]): ReturnType<typeof afterAnswer> =>
  outcomes.reduce(afterAnswer, noAnswers);
const times = (count: number, outcome: SendOutcome): SendOutcome[] => Array.from({ length: count }, () => outcome);

it('pauses for the first twenty like refusals, or two hundred in a row, and for nothing less', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(taken, refused(131026), refused(100), refused(135000)), { maxLength: 12 }),
      (begin) => {
        const like = refused(132018);
        const [needed, start] = begin.length === 0 ? [20, []] : [200, begin];
        expect(refusesAll(after([...start, ...times(needed - 1, like)]))).toBe(false);
        expect(refusesAll(after([...start, ...times(needed, like)]))).toBe(true);
        expect(refusesAll(after([...start, ...times(needed - 1, like), taken, like]))).toBe(false);
      },
    ),
    { numRuns: runs(30) },
  );
});

it('never pauses for what concerns recipients', () => {
  for (const code of [131026, 131047, 131049, 131050, 130472, 131021, 131062])
    expect(refusesAll(after(times(400, refused(code))))).toBe(false);
});

it('pauses at the first answer that names a limit of the whole number or account', () => {
  for (const code of [131037, 131048, 131063, 131064])
    expect(refusesAll(after([...times(50, taken), refused(code)]))).toBe(true);
});

it('takes an answer that says nothing for none', () => {
  const retry: SendOutcome = { kind: 'rejected', class: 'retry', code: 131000, title: '', message: '' };
  const unknown: SendOutcome = { kind: 'unknown', reason: '' };
  expect(refusesAll(after(times(20, refused(135000)).flatMap((one) => [retry, one, unknown])))).toBe(true);
});

it('lets few calls be under way until one is taken', () => {
  expect(callsAtOnce(noAnswers)).toBe(20);
  expect(callsAtOnce(after(times(19, refused(135000))))).toBe(1);
  expect(callsAtOnce(after([taken]))).toBe(Number.POSITIVE_INFINITY);
});
