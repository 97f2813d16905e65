import { cut } from '../../../../core/text/cut';
import { codes, limitsOfSender, type SendOutcome } from '../../../../core/platform/answers';

/** What the platform has answered to a broadcast last: one refusal after the other, or anything else. */
export interface Answers {
  /** The code of the refusals in a row; null: the last answer was none. */
  readonly refused_code: number | null;
  readonly refused_title: string;
  readonly refused_in_row: number;
  /** Nothing but this refusal has been answered since the run began, or went on. */
  readonly refused_only: boolean;
}

/** Answers of a run that begins, or goes on. */
export const noAnswers: Answers = { refused_code: null, refused_title: '', refused_in_row: 0, refused_only: true };

/** Contract 9.3: so many like refusals at the beginning, or in a row, are not the recipients'. */
const atFirst = 20;
const inARow = 200;

/** Codes that tell of one recipient, however many of them there are. */
const ofRecipient = new Set<number>([
  ...[codes.windowClosed, codes.marketingStopped, codes.pairRate],
  ...[130472, 130497, 131021, 131026, 131030, 131049, 131062, 137000],
]);

/** Returns the answers after one more. */
export function afterAnswer(before: Answers, outcome: SendOutcome): Answers {
  // Its time was over before it was asked.
  if (outcome.kind === 'rejected' && outcome.code === codes.notReached) return before;
  const refused = outcome.kind === 'rejected' && outcome.class === 'permanent' && !ofRecipient.has(outcome.code);
  if (!refused) {
    // An answer that cannot be read, or asks for another try, says nothing.
    const says = outcome.kind === 'accepted' || (outcome.kind === 'rejected' && outcome.class === 'permanent');
    return says ? { ...noAnswers, refused_only: false } : before;
  }
  const like = before.refused_code === outcome.code;
  return {
    refused_code: outcome.code,
    refused_title: cut(outcome.title, 255),
    refused_in_row: like ? before.refused_in_row + 1 : 1,
    refused_only: before.refused_only && (like || before.refused_code === null),
  };
}

/** Returns whether the answers say that the platform refuses everybody. */
export function refusesAll({ refused_code: code, refused_in_row: count, refused_only: only }: Answers): boolean {
  if (code === null) return false;
  return limitsOfSender.has(code) || (only ? count >= atFirst : count >= inARow);
}

/** Returns how many calls may be under way before their answers are known: few, until one was taken. */
export function callsAtOnce({ refused_in_row: count, refused_only: only }: Answers): number {
  return only ? Math.max(1, atFirst - count) : Number.POSITIVE_INFINITY;
}
