import { mutantsOfInbox } from './mutantsOfInbox';
import { mutantsOfMerges } from './mutantsOfMerges';
import { mutantsOfMessages } from './mutantsOfMessages';
import { mutantsOfOthers } from './mutantsOfOthers';
import { mutantsOfRules } from './mutantsOfRules';
import { mutantsOfTurns } from './mutantsOfTurns';
import type { ThemeName } from './themes';

/** A rule of the service, and how it is broken: texts that stand once in a file, and what is put there instead. */
export interface Mutant {
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: string;
  readonly file: string;
  readonly edits: readonly (readonly [find: string, put: string])[];
  /**
   * Whether it was found within 40,000 boundaries, a minute of a machine that has nothing else to do, when it was tried
   * last: those that are drawn have to be found within 100,000, whatever a change of the service makes of the seeds.
   */
  readonly isFound?: true;
  /** The first seed that is tried, where those before it have shown nothing. */
  readonly seed?: number;
  /** Where what it breaks is contested most; without one it is tried by all themes. */
  readonly theme?: ThemeName;
}

export const mutants: readonly Mutant[] = [
  ...mutantsOfMessages,
  ...mutantsOfMerges,
  ...mutantsOfInbox,
  ...mutantsOfOthers,
  ...mutantsOfRules,
  ...mutantsOfTurns,
];
