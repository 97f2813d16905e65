import { invalidField } from '../../../core/http/errors';
import { reason } from '../reasons';

const minLength = 8;
const maxLength = 1_024;
const minDistinct = 5;
/** Shorter words are parts of too many others. */
const minWord = 3;

/** What a password must be, as shown where one is set. */
export const passwordRule = reason('passwordRule');

/** Whose password it is. */
interface Owner {
  readonly email: string;
  readonly name: string;
}

/**
 * Throws the 400 of a password that would be among the first guesses: too short, on the list of the commonest, a run
 * like `abcdefgh`, or little more than the name or email.
 */
export async function refuseWeakPassword(password: string, owner: Owner, field = 'password'): Promise<void> {
  const plain = password.normalize('NFKC').toLowerCase();
  if ([...plain].length < minLength) throw invalidField(field, reason('tooShort', { min: minLength }));
  if ([...plain].length > maxLength) throw invalidField(field, reason('tooLong', { max: maxLength }));
  const known = await loadKnown();
  // "Passw0rd!" and "dragon2026" are guessed as early as what they begin with.
  if (known.has(plain) || known.has(untilLastLetter(plain)) || isMonotonous(plain))
    throw invalidField(field, reason('passwordKnown'));
  if ([...withoutWords(plain, owner)].length < minLength) throw invalidField(field, reason('passwordNear'));
}

/** Returns a text without the digits and signs at its end. */
function untilLastLetter(text: string): string {
  const signs = [...text];
  return signs.slice(0, signs.findLastIndex((sign) => /\p{L}/u.test(sign)) + 1).join('');
}

let loading: Promise<ReadonlySet<string>> | undefined;

/** Loads the list of the commonest when a password is first set: other processes need none of it. */
async function loadKnown(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((word) => word.toLowerCase())),
  );
  return loading;
}

/** Returns whether hardly any characters differ, or each follows the one before: `aaaaaaaa`, `abcdefgh`, `87654321`. */
function isMonotonous(text: string): boolean {
  const points = [...text].map((character) => character.codePointAt(0) ?? 0);
  const steps = new Set(points.slice(1).map((point, index) => point - (points[index] ?? 0)));
  return new Set(points).size < minDistinct || steps.size === 1;
}

/** Returns what is left of a password without the words of its owner's name and email. */
function withoutWords(plain: string, { email, name }: Owner): string {
  const words = `${email} ${name}`
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words
    .filter((word) => word.length >= minWord)
    .sort((one, other) => other.length - one.length)
    .reduce((left, word) => left.replaceAll(word, ''), plain);
}
