import { messageFields, type RuleCondition, type RuleConditions, type RuleValue } from '../../../../models/ruleParts';
import { fold, foldWords } from '../../../core/text/fold';

/*
 * Whether the conditions of a rule hold (contract 21): of values alone, so that starts, moments and rehearsals judge
 * alike.
 */

/** What a condition may ask of a conversation, by the names of its fields. */
export interface ConversationFacts {
  readonly conv_status: string;
  readonly priority: string;
  readonly assigned_member: number | null;
  readonly assigned_team_inbox: number | null;
  readonly tags: unknown;
  /** The platform's id of the number. */
  readonly phone_number_id: string | null;
  readonly waiting: boolean;
  readonly window_open: boolean;
  readonly opted_out: boolean;
  /** Null where no rule asks. */
  readonly inbound_count: number | null;
  readonly hours: 'open' | 'closed';
  readonly custom_fields: Readonly<Record<string, unknown>>;
}

/** What a condition may ask of the message that starts a rule. */
export interface MessageFacts {
  readonly type: string;
  readonly text: string;
  readonly button_id: string | null;
}

/** Returns whether a condition is about the message that starts a rule. */
export const isAboutMessage = ({ field }: Pick<RuleCondition, 'field'>): boolean =>
  (messageFields as readonly string[]).includes(field);

/** Returns whether a rule asks for something in the message that starts it. */
export function asksForMessage({ all, any }: RuleConditions): boolean {
  return [...all, ...any].some(isAboutMessage);
}

/** Returns whether a condition names a status, so that the rule is about conversations that have it. */
export function namesStatus({ all, any }: RuleConditions, status: string): boolean {
  return [...all, ...any].some(
    ({ field, value }) => field === 'conv_status' && (Array.isArray(value) ? value.includes(status) : value === status),
  );
}

/**
 * Returns whether conditions hold. Where there is no message, one that asks for it does not; at the moment, when the
 * message was judged before, it is given again.
 */
export function holds({ all, any }: RuleConditions, facts: ConversationFacts, message: MessageFacts | null): boolean {
  const one = (condition: RuleCondition): boolean => {
    const value = valueOf(condition.field, facts, message);
    return value !== undefined && compare(condition, value);
  };
  return all.every(one) && (any.length === 0 || any.some(one));
}

function valueOf(field: RuleCondition['field'], facts: ConversationFacts, message: MessageFacts | null): unknown {
  if (isAboutMessage({ field })) return message?.[field as keyof MessageFacts];
  const custom = /^custom_field\.(.+)$/s.exec(field)?.[1];
  if (custom === undefined) return facts[field as keyof ConversationFacts];
  return Object.hasOwn(facts.custom_fields, custom) ? facts.custom_fields[custom] : null;
}

/** Returns whether a value is one, as JSON tells them apart but for a number that is written as a text. */
const same = (value: unknown, given: unknown): boolean =>
  value === given || (value !== null && given !== null && String(value) === String(given));

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

function compare({ op, value: given = null }: RuleCondition, value: unknown): boolean {
  const wanted = listOf(given);
  switch (op) {
    case 'is':
      return same(value ?? (typeof given === 'boolean' ? false : value), given);
    case 'is_not':
      return !same(value ?? (typeof given === 'boolean' ? false : value), given);
    case 'any_of':
      return wanted.some((one) => same(value, one));
    case 'none_of':
      return !wanted.some((one) => same(value, one));
    case 'set':
      return isSet(value);
    case 'not_set':
      return !isSet(value);
    case 'has_any':
      return wanted.some((one) => hasOne(value, one));
    case 'has_all':
      return wanted.every((one) => hasOne(value, one));
    case 'has_none':
      return !wanted.some((one) => hasOne(value, one));
    case 'above':
      return isSet(value) && Number(value) > Number(given);
    case 'below':
      return isSet(value) && Number(value) < Number(given);
    case 'before':
      return isSet(value) && timeOf(value) < timeOf(given);
    case 'after':
      return isSet(value) && timeOf(value) > timeOf(given);
    case 'equals':
      return fold(textOf(value)).trim() === fold(textOf(given)).trim();
    case 'contains':
      return fold(textOf(value)).includes(fold(textOf(given)));
    case 'words': {
      const words = new Set(foldWords(textOf(value)));
      return foldWords(textOf(given)).every((word) => words.has(word));
    }
  }
}

const hasOne = (value: unknown, one: unknown): boolean => listOf(value).some((item) => same(item, one));
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const timeOf = (value: unknown): number => Date.parse(String(value as RuleValue));

type Json = Readonly<Record<string, unknown>>;
const objectAt = (of: unknown, key: string): Json | null => {
  const value = typeof of === 'object' && of !== null ? (of as Json)[key] : null;
  return typeof value === 'object' && value !== null ? (value as Json) : null;
};

/** Returns what conditions may ask of a message, as it is stored. */
export function messageFacts(type: string, body: unknown): MessageFacts {
  const content = objectAt(body, type);
  const chosen = objectAt(content, 'button_reply') ?? objectAt(content, 'list_reply');
  const text = content?.['body'] ?? content?.['caption'] ?? content?.['text'] ?? chosen?.['title'];
  const button = chosen?.['id'] ?? (type === 'button' ? content?.['payload'] : null);
  return { type, text: textOf(text), button_id: typeof button === 'string' ? button : null };
}
