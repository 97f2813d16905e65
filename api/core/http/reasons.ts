import type { StoredReason } from '../../../models/macros';

/** What stands in the places of a text: words, numbers, or another reason. */
type Given = Readonly<Record<string, string | number | Reason>>;

/**
 * Why something is refused, or what is told: by its key, under which pages have it in the language of the member. As a
 * text it is English, as REST says it.
 */
export class Reason {
  constructor(
    readonly key: string,
    private readonly english: string,
    readonly given: Given,
    /** What stands before it and is of no language, as `0.title: `. */
    readonly place = '',
  ) {}

  /** Returns the reason with this place. */
  at(place: string): Reason {
    return new Reason(this.key, this.english, this.given, place);
  }

  /** Returns it by a text of some language, with what it holds as `say` says it. */
  inWords(text: string, say: (reason: Reason) => string): string {
    const put = (_: string, name: string): string => {
      const value = this.given[name] ?? '';
      return value instanceof Reason ? say(value) : String(value);
    };
    return this.place + text.replace(/\{(\w+)\}/g, put);
  }

  toString(): string {
    return this.inWords(this.english, String);
  }

  /** Returns what a column keeps, to be worded when it is read. */
  stored(): StoredReason {
    const { key, english, place } = this;
    const given = Object.entries(this.given).map(
      ([name, value]) => [name, value instanceof Reason ? value.stored() : value] as const,
    );
    return { key, english, given: Object.fromEntries(given), place };
  }

  /** Returns the reason that a column keeps. */
  static of({ key, english, given, place }: StoredReason): Reason {
    const read = Object.entries(given).map(
      ([name, value]) => [name, typeof value === 'object' ? Reason.of(value) : value] as const,
    );
    return new Reason(key, english, Object.fromEntries(read), place);
  }

  /** Returns what an answer of REST shows. */
  toJSON(): string {
    return String(this);
  }
}

/** A reason, or words that are English everywhere: of what only programs are refused. */
export type Message = string | Reason;

/** Returns a message with a place before it. */
export function after(place: string, message: Reason): Reason;
export function after(place: string, message: Message): Message;
export function after(place: string, message: Message): Message {
  return message instanceof Reason ? message.at(place + message.place) : place + message;
}

/** Returns a message without a place that it begins with. */
export const without = (place: string, message: Message): Message => {
  const left = (text: string): string => (text.startsWith(place) ? text.slice(place.length) : text);
  return message instanceof Reason ? message.at(left(message.place)) : left(message);
};

/** Returns what gives reasons, or what is told, of some texts by their keys. */
export const reasonsOf =
  <T extends Readonly<Record<string, string>>>(texts: T) =>
  (key: keyof T & string, given: Given = {}): Reason =>
    new Reason(key, texts[key] ?? key, given);

/** Why fields refuse a value, and requests are refused as such. */
export const generalTexts = {
  because: '{what} {why}',
  required: 'This field is required.',
  blank: 'This field may not be blank.',
  null: 'This field may not be null.',
  notAccepted: 'This field is not accepted here.',
  notInQuery: 'This field is not accepted in the query.',
  givenTwice: 'Give this parameter once.',
  noText: 'Not a valid string.',
  noValue: 'Enter a valid value.',
  tooLong: 'Ensure this field has no more than {max} characters.',
  tooShort: 'Ensure this field has at least {min} characters.',
  tooManyBytes: 'Ensure this field has no more than {max} bytes.',
  tooMany: 'Ensure this field has no more than {max} elements.',
  tooSmall: 'Ensure this value is greater than or equal to {min}.',
  tooLarge: 'Ensure this value is less than or equal to {max}.',
  notWithin: 'Ensure this value is between -{max} and {max}.',
  noInteger: 'A valid integer is required.',
  noNumber: 'A valid number is required.',
  noBoolean: 'Must be a valid boolean.',
  noChoice: '"{value}" is not a valid choice.',
  noEmail: 'Enter a valid email address.',
  noDatetime:
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  noDate: 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.',
  noPk: 'Incorrect type. Expected pk value, received {type}.',
  gone: 'Invalid pk "{value}" - object does not exist.',
  noList: 'Expected a list of items but got type "{type}".',
  noDictionary: 'Expected a dictionary of items but got type "{type}".',
  noObject: 'Invalid data. Expected a dictionary, but got {type}.',
  noData: 'Invalid data.',
  emptyList: 'This list may not be empty.',
  nullSigns: 'Null characters are not allowed.',
  halfSigns: 'Surrogate characters are not allowed.',
  tooDeep: 'JSON nesting is too deep: at most {max} levels are allowed.',
  sendAsText: 'Send it as text.',
  noFile: 'No file was submitted.',
  noUrl: 'Enter a valid URL.',
  noTime: 'Enter a time of day as HH:MM.',
  noWord: 'Enter a word to search for.',
  noCountry: 'Enter the two letters of a country, for example DE.',
  noPhone: 'Enter a valid phone number in E.164 format, for example +15551230001.',
  phoneOfTwo: '{one} can be +{home} or +{one}: write it with its country code.',
  phoneNowhere: 'Read +{digits}, and there is no such number: write it with its country code, as +49.',
  phoneSign: '"{sign}" is no part of a phone number.',
  phoneShortened: 'A program has shortened "{text}": format the column as text, and write the number in full.',
  phoneSeveral: 'There are {count} numbers in it: {numbers}. Give one.',
  phoneDecimals: '"{text}" has decimals.',
  phoneCodeZero: 'Read +{digits}: no country code begins with 0.',
  phoneNoCountry: 'Read {digits}, which begins with 0 and so names no country: write it with its country code, as +49.',
  phoneLength: 'Read +{digits}: with its country code a number has 7 to 15 digits, this one {count}.',
  notFound: 'Not found.',
  busy: 'The service is busy. Try again shortly.',
  throttled: 'Request was throttled. Expected available in {seconds} seconds.',
  throttledOne: 'Request was throttled. Expected available in 1 second.',
  changed: 'It has changed since you read it. Read it again.',
  bodyTooLarge: 'Request body is too large.',
  lacks: 'You do not have permission to perform this action. {missing}',
  trialOver:
    'The trial of this workspace has expired. Choose a plan at /dashboard/plan/ ' +
    '(POST /api/v1/workspace/plan/) to reactivate it.',
  signInsBusy: 'Too many people are signing in. Try again shortly.',
  noPage: 'Invalid page.',
  engineAway: 'The workflow engine is not reachable.',
  engineSilent: 'The workflow engine did not answer in time.',
  urlHttps: 'The URL must begin with https://.',
  urlNobody: 'The URL must not contain a user name or password.',
  urlPort: 'The port must be 443, or 1024 and above.',
  urlPrivate: 'The address {host} is not public.',
  changedSince: 'This has changed since it was shown.',
} as const;

/** Returns a general reason by its key. */
export const reason = reasonsOf(generalTexts);
