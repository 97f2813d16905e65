import type { FieldErrors, FieldReasons } from '../../core/http/errors';
import type { Message, Reason } from '../../core/http/reasons';
import { words } from './words';

const { refusals, told } = words;

/** Says in the language of the page why something was refused, or what is told; words without a key stay English. */
export const refusalText = (message: Message): string => (typeof message === 'string' ? message : worded(message));

const worded = (reason: Reason): string => reason.inWords(textOf(reason.key), worded);

const textOf = (key: string): string =>
  key in told ? told[key as keyof typeof told] : refusals[key as keyof typeof refusals];

/** The same for what was refused, by field. */
export const refusalTexts = (fields: FieldReasons): FieldErrors =>
  Object.fromEntries(Object.entries(fields).map(([field, messages]) => [field, messages.map(refusalText)]));
