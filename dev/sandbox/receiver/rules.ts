import { ControlError } from '../play/controlError';
import type { JsonObject } from '../types';
import { isObject, objectOf, textOf } from '../util';

/** What the receiver answers to the events that it fits; the first rule that fits an event counts. */
export interface Rule {
  /** `type` is a type of event, `contains` a part of any text in its data; without both, every event fits. */
  when: { type?: string; contains?: string };
  /** The body of the answer; `{{data.receiver.name}}` in its texts stands for that value of the event. */
  answer: JsonObject;
}

/** The demo's rule: a customer who asks for the opening hours is answered at once. */
export const exampleRules: readonly Rule[] = [
  {
    when: { type: 'message.received', contains: 'opening hours' },
    answer: {
      actions: [
        {
          type: 'send_message',
          params: {
            phone_number_id: '{{data.phone_number.phone_number_id}}',
            body: 'We are open Monday to Friday from 9 to 18, {{data.receiver.name}}.',
          },
        },
      ],
    },
  },
];

/** Reads rules that a control call gives; throws what is wrong with them. */
export function readRules(value: unknown): Rule[] {
  if (!Array.isArray(value)) throw new ControlError(400, 'rules must be a list.');
  return value.map((item, index) => {
    const when = isObject(item) ? (item['when'] ?? {}) : undefined;
    const answer = isObject(item) ? item['answer'] : undefined;
    if (!isObject(when) || !isObject(answer))
      throw new ControlError(400, `rules[${index}] must be {"when": {"type", "contains"}, "answer": {…}}.`);

    for (const [key, given] of Object.entries(when))
      if (!['type', 'contains'].includes(key) || typeof given !== 'string')
        throw new ControlError(400, `rules[${index}].when takes the texts type and contains.`);
    return { when: { ...when }, answer };
  });
}

/** Returns what the rules answer to an event, with its values filled in; undefined where no rule fits. */
export function answerOf(rules: readonly Rule[], event: JsonObject): JsonObject | undefined {
  const rule = rules.find(({ when }) => fits(when, event));
  return rule ? objectOf(filled(rule.answer, event)) : undefined;
}

function fits(when: Rule['when'], event: JsonObject): boolean {
  if (when.type !== undefined && when.type !== event['type']) return false;
  return when.contains === undefined || hasText(event['data'], when.contains.toLowerCase());
}

function hasText(value: unknown, wanted: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(wanted);
  return typeof value === 'object' && value !== null && Object.values(value).some((item) => hasText(item, wanted));
}

/** Fills `{{data.…}}` in every text of an answer; what the event does not have becomes empty. */
function filled(value: unknown, event: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, event));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, event)]));
  if (typeof value !== 'string') return value;
  return value.replace(/\{\{\s*(data(?:\.\w+)+)\s*\}\}/g, (_match, path: string) => {
    const found = path.split('.').reduce<unknown>((at, key) => objectOf(at)[key], event);
    return textOf(found) ?? '';
  });
}
