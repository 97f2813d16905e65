import { cut } from './text/cut';
import { localesNow } from './text/language';
import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parseDigits,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/max';
import { Fault, field, type Field } from './http/fields';
import { reason, type Reason } from './http/reasons';

/** Longer than any number with all that may stand in it. */
const maxLength = 200;
/** A number in E.164, without its plus. */
const e164 = /^[1-9]\d{6,14}$/;
/** What parts the groups of digits: blanks, dashes, brackets, points and slashes, of any kind. */
const parting = String.raw`\s\p{Pd}\u2212\u30fc()[\].·/\\\u2215`;
const partings = new RegExp(`[${parting}]+`, 'gu');
const zeroInBrackets = /[([]\s?0\s?[)\]]/u;
/** Where one number may end and another one begin. */
const betweenNumbers = /[,;|&\n\r/\\]|\s(?:or|and|oder|und|ou|et|o|y|e)\s|(?!^)(?=\+)/iu;

/** Returns whether a text is the code of a country whose numbers are known, as `DE`. */
function isCountry(code: string): code is CountryCode {
  return isSupportedCountry(code);
}

/** Returns the countries whose numbers are known, by their names. */
export function countries(): readonly { readonly code: string; readonly name: string }[] {
  const { numbers: locale } = localesNow();
  const names = new Intl.DisplayNames(locale, { type: 'region' });
  return getCountries()
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((left, right) => left.name.localeCompare(right.name, locale));
}

/** Returns a field of a country: its ISO code in capitals. */
export function countryField(): Field<string> {
  return field<string>({ type: 'string', description: 'ISO 3166 code of two letters.', examples: ['DE'] }, (raw) => {
    const code = typeof raw === 'string' ? raw.trim().toUpperCase() : '';
    return isCountry(code) ? code : new Fault(reason('noCountry'));
  });
}

/** A number as it was written: its digits, and what they say of themselves. */
interface Written {
  readonly digits: string;
  /** It begins with `+` or `00`. */
  readonly isMarked: boolean;
  /** Its digits are parted, as only people part them. */
  readonly isParted: boolean;
}

/**
 * Reads an international phone number as people and programs write it, with or without its plus, and returns its
 * digits in E.164, or the Fault that says why not, and which number was read.
 */
export function readPhone(raw: unknown): string | Fault {
  // The usual way, of programs: nothing to read.
  if (typeof raw === 'string' && e164.test(raw)) return raw;
  const written = readWritten(raw);
  return written instanceof Fault ? written : readInternational(written);
}

/**
 * Reads a phone number of a file, a form or a command line as `readPhone` does. Without plus and `00` it may also be a
 * number of `country`; one that is long enough for neither is refused.
 */
export function readTypedPhone(raw: unknown, country: string | null): string | Fault {
  const written = readWritten(raw);
  if (written instanceof Fault || written.isMarked)
    return written instanceof Fault ? written : readInternational(written);
  const { digits } = written;
  const isAbroad = isValid(digits);
  const home = country !== null && isCountry(country) ? readNational(digits, country) : null;
  if (home && isAbroad && home.digits !== digits && home.isValid)
    return refused(reason('phoneOfTwo', { one: digits, home: home.digits }));
  if (home && !isAbroad) return home.digits;
  const read = readInternational(written);
  if (read instanceof Fault || parsePhoneNumberFromString(`+${digits}`)?.isPossible()) return read;
  return refused(reason('phoneNowhere', { digits }));
}

function readWritten(raw: unknown): Written | Fault {
  // A number is read as its text is: in a form everything is text.
  if (typeof raw !== 'string' && typeof raw !== 'number') return new Fault(reason('noPhone'));
  const given = String(raw);
  if (given.length > maxLength) return new Fault(reason('noPhone'));
  const text = decimalsDropped(plainText(given));
  if (text instanceof Fault) return text;
  const compact = withoutBracketedZero(text).replace(partings, '');
  if (!/\d/.test(compact) || /[\p{L}@]/u.test(compact)) return new Fault(reason('noPhone'));
  const [strange] = /[^\d+]|(?<!^)\+/u.exec(compact) ?? [];
  if (strange !== undefined) return refused(reason('phoneSign', { sign: strange }));
  const digits = compact.replace(/^\+?0{2}(?=[1-9])|^\+/, '');
  return { digits, isMarked: /^\+|^00/.test(compact), isParted: compact !== text };
}

/** Returns the digits of a phone number in E.164 that a person or program wrote, or null when the value is none. */
export function phoneDigits(raw: unknown): string | null {
  const read = readPhone(raw);
  return read instanceof Fault ? null : read;
}

/** Returns the digits of a text that is a number or a part of one, with the plus that they begin with; else null. */
export function digitsOfTerm(text: string): string | null {
  const digits = plainText(text).replace(partings, '');
  return /^\+?\d+$/.test(digits) ? digits : null;
}

/** Returns the digits of a number as the platform names it, which are taken as they are; null when they are none. */
export function platformDigits(raw: unknown): string | null {
  if (typeof raw !== 'string' && typeof raw !== 'number') return null;
  const digits = String(raw).replace(/^\+|[\s().\u00a0-]/g, '');
  return e164.test(digits) ? digits : null;
}

/** Returns a number's digits as people read them, for example `+49 1512 3456789`. */
export function shownPhone(digits: string): string {
  const read = parsePhoneNumberFromString(`+${digits}`);
  return read?.number === `+${digits}` ? read.formatInternational() : `+${digits}`;
}

function refused(why: Reason): Fault {
  return new Fault(reason('because', { what: reason('noPhone'), why }));
}

/** Returns a text without marks that nobody sees, its digits and signs in their plain forms. */
function plainText(raw: string): string {
  const visible = raw.replace(/\p{Cf}/gu, '');
  // Digits that stand above others or in circles would become part of the number.
  if (/\p{No}/u.test(visible)) return visible;
  return visible
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, (digit) => parseDigits(digit) || digit)
    .trim();
}

/** Drops the decimals that spreadsheets write behind a whole number; refuses what is another number than was meant. */
function decimalsDropped(text: string): string | Fault {
  if (/^[+\d\s.,]+e\s*[+-]?\d+$/i.test(text)) return refused(reason('phoneShortened', { text }));
  const numbers = text
    .split(betweenNumbers)
    .map(digitsIn)
    .filter((digits) => digits.length >= 7);
  if (numbers.length > 1)
    return refused(reason('phoneSeveral', { count: numbers.length, numbers: numbers.join(', ') }));
  const decimal = /^(.*\d)[.,](\d{1,2})$/u.exec(text);
  const [, whole = '', decimals = ''] = decimal ?? [];
  if (digitsIn(whole).length < 7) return text;
  if (decimals === '0') return whole;
  const isPlain = /^\+?\d+$/.test(whole);
  if (isPlain && decimals === '00') return whole;
  return isPlain ? refused(reason('phoneDecimals', { text })) : text;
}

/**
 * Drops a zero in brackets behind the country code, which is dialled inside of the country only, but where the number
 * is none without it, as in Italy.
 */
function withoutBracketedZero(text: string): string {
  const [before = '', ...others] = text.split(zeroInBrackets);
  const code = digitsIn(before);
  if (others.length !== 1 || code === '' || code.length > 3) return text;
  const after = others.join('');
  const isKept = !isValid(code + digitsIn(after)) && isValid(`${code}0${digitsIn(after)}`);
  return isKept ? `${before}0${after}` : before + after;
}

/** Returns the digits of a text, without the zeros that stand for its plus. */
function digitsIn(text: string): string {
  return text.replace(/\D/g, '').replace(/^00/, '');
}

function readInternational({ digits, isMarked, isParted }: Written): string | Fault {
  if (digits.startsWith('0'))
    return refused(isMarked ? reason('phoneCodeZero', { digits }) : reason('phoneNoCountry', { digits }));
  if (!e164.test(digits)) return refused(reason('phoneLength', { digits: cut(digits, 40), count: digits.length }));
  return isParted ? withoutTrunkZero(digits) : digits;
}

/**
 * Drops a zero behind the country code that is dialled inside of the country only: the number is valid without it
 * alone.
 */
function withoutTrunkZero(digits: string): string {
  const read = parsePhoneNumberFromString(`+${digits}`);
  const code = read?.countryCallingCode ?? '';
  const without = code + digits.slice(code.length + 1);
  return digits.charAt(code.length) === '0' && read?.number === `+${without}` && read.isValid() ? without : digits;
}

/** Reads digits as a number of the country; null where they are none of it. */
function readNational(digits: string, country: CountryCode): { digits: string; isValid: boolean } | null {
  const read = parsePhoneNumberFromString(digits, country);
  const code = getCountryCallingCode(country);
  if (read?.countryCallingCode !== code) return null;
  const home = read.number.slice(1);
  // What is dialled before a number inside of the country says that it is one.
  const hasTrunkPrefix = home !== code + digits;
  return read.isValid() || (hasTrunkPrefix && read.isPossible()) ? { digits: home, isValid: read.isValid() } : null;
}

/** Returns whether digits are a number of some country, as they stand. */
function isValid(digits: string): boolean {
  const read = e164.test(digits) ? parsePhoneNumberFromString(`+${digits}`) : undefined;
  return read?.number === `+${digits}` && read.isValid();
}

/**
 * Lines that have two spellings, with and without a digit behind the country code (Brazil: the area code), and the
 * digits that follow: mobile numbers of Brazil, where those of landlines begin otherwise, Mexico and Argentina.
 */
const twoSpellings = [
  ['9', /^(55[1-9][1-9])(9?)([6-9]\d{7})$/],
  ['1', /^(52)(1?)([2-9]\d{9})$/],
  ['9', /^(54)(9?)([1-3]\d{9})$/],
] as const;

/** Returns the other spelling of the line that a number is of, or null where it has one. */
export function otherSpelling(digits: string): string | null {
  for (const [mark, pattern] of twoSpellings) {
    const [, before = '', given = '', rest = ''] = pattern.exec(digits) ?? [];
    if (rest !== '') return before + (given === '' ? mark : '') + rest;
  }
  return null;
}

/** Returns all spellings of a number's line, the given one first. */
export function spellingsOf(digits: string): readonly string[] {
  const other = otherSpelling(digits);
  return other === null ? [digits] : [digits, other];
}

/**
 * Returns how digits that somebody looks for are spelled otherwise, where they are a whole number from its
 * international beginning or, unless they say that they begin there, without the country code.
 */
export function spelledOtherwise(digits: string, isMarked: boolean): readonly string[] {
  return (isMarked ? [''] : ['', '52', '54', '55']).flatMap(
    (code) => otherSpelling(code + digits)?.slice(code.length) ?? [],
  );
}

/** Returns the one text for all spellings of a number's line: two numbers are one line where these are the same. */
export function lineOf(digits: string): string {
  const other = otherSpelling(digits);
  return other !== null && other.length < digits.length ? other : digits;
}
