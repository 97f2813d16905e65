import { valueWord } from '../valueWord';
import { words } from '../words';
import { customName, valueKindOf, type Rule, type RuleChoices } from './choices';

const { rules } = words;
const { sentence } = rules;

/** What of a rule its sentence says. */
type Said = Pick<Rule, 'on' | 'conditions' | 'wait' | 'unless'> & { readonly macro: string };

/** A rule as one reads it: up to the macro, and the macro's name. */
export interface SentenceView {
  readonly text: string;
  readonly macro: string;
}

/** Writes a rule as a sentence. */
export function sentenceOf(rule: Said, choices: RuleChoices): SentenceView {
  const { all, any } = rule.conditions;
  const anyOf = any.map((one) => conditionText(one, choices)).join(sentence.or);
  const conditions = [
    ...all.map((one) => conditionText(one, choices)),
    ...(any.length === 0 ? [] : [any.length === 1 ? anyOf : sentence.either(anyOf)]),
  ];
  const starts = rule.on.map((start) => startText(start, choices)).join(sentence.or);
  const stops = rule.unless.map((stop) => stopText(stop, choices)).join(sentence.or);
  const parts = [
    `${sentence.when} ${starts || sentence.notYet}`,
    ...(conditions.length === 0 ? [] : [`${sentence.if} ${conditions.join(sentence.and)}`]),
    ...(rule.wait === null ? [] : [waitText(rule.wait)]),
    ...(stops === '' ? [] : [`${sentence.unless} ${stops}`]),
  ];
  return { text: `${parts.join(', ')}: ${sentence.run} `, macro: rule.macro };
}

/** Says why a run began. */
export function eventText(event: Rule['on'][number]['event']): string {
  return event === 'conversation.updated' ? rules.runs.changed : rules.starts[event];
}

const reasons: Readonly<Record<string, string>> = rules.reasons;

/** Says why a run came to what became of it. */
export const reasonText = (code: string): string => reasons[code] ?? valueWord(code);

function changedText(changed: string, { fields }: RuleChoices): string {
  const custom = customName(changed);
  if (custom !== undefined) return rules.custom(fields.get(custom)?.label ?? custom);
  return Object.hasOwn(rules.changed, changed) ? rules.changed[changed as keyof typeof rules.changed] : changed;
}

function startText({ event, changed, to }: Rule['on'][number], choices: RuleChoices): string {
  if (event !== 'conversation.updated') return rules.starts[event];
  const what = changedText(changed ?? '', choices);
  return to === undefined ? rules.changes(what) : rules.becomes(what, valueText(changed ?? '', to, choices));
}

function stopText({ event, changed }: Rule['unless'][number], choices: RuleChoices): string {
  return event === 'conversation.updated' ? rules.changes(changedText(changed ?? '', choices)) : rules.stops[event];
}

function conditionText({ field, op, value }: Rule['conditions']['all'][number], choices: RuleChoices): string {
  const phrase = flagText(field, op, value);
  if (phrase !== undefined) return phrase;
  const custom = customName(field);
  const what =
    custom === undefined
      ? rules.fields[field as keyof typeof rules.fields]
      : rules.custom(choices.fields.get(custom)?.label ?? custom);
  const compared = rules.operators[op];
  return op === 'set' || op === 'not_set'
    ? `${what} ${compared}`
    : `${what} ${compared} ${valueText(field, value, choices)}`;
}

/** What is true or not is said in a phrase of its own. */
function flagText(field: string, op: string, value: unknown): string | undefined {
  if (!Object.hasOwn(rules.flags, field) || value === undefined || value === null) return undefined;
  const phrases: Readonly<Record<string, string>> = rules.flags[field as keyof typeof rules.flags];
  const names = Object.keys(phrases);
  const meant = op === 'is' ? String(value) : names.find((name) => name !== String(value));
  return meant === undefined ? undefined : phrases[meant];
}

function valueText(field: string, value: unknown, choices: RuleChoices): string {
  if (value === undefined || value === null || value === '') return sentence.notYet;
  const { options, is } = valueKindOf(field, choices);
  const isId = /^assigned_/.test(field);
  const texts = [value].flat().map((one) => {
    const known = options.find((option) => String(option.value) === String(one));
    if (known) return known.label;
    if (isId) return rules.gone(String(one));
    return is === 'number' || is === 'date' ? String(one) : `“${String(one)}”`;
  });
  return texts.length === 0 ? sentence.notYet : texts.join(sentence.or);
}

function waitText(wait: NonNullable<Rule['wait']>): string {
  if ('until' in wait)
    return wait.plus_minutes === 0 ? rules.waits.opening : rules.waits.afterOpening(rules.span(wait.plus_minutes));
  if ('before' in wait) return rules.waits.beforeEnd(rules.span(wait.minutes));
  return rules.waits[wait.by](rules.span(wait.minutes));
}
