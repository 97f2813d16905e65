import { isPlainObject } from '../../../core/http/fields';
import { asText, type Json, type Lookups } from '../lookups';
import { words } from '../words';
import { fillTemplate, renderTemplate } from './templateTexts';
import { valueWord } from '../valueWord';

const { steps } = words;
const { does } = steps;

/** What a step or a call does, in words; `says` is what a customer would read. */
export interface StepText {
  readonly text: string;
  readonly says?: string;
}

export const actionLabels: Readonly<Record<string, string>> = steps.labels;

/** Says what one step of a macro does. */
export function describeStep(type: string, params: Json, lookups: Lookups): StepText {
  const name = (names: ReadonlyMap<unknown, string>, id: unknown): string =>
    names.get(Number(id)) ?? steps.numbered(asText(id));
  const label = actionLabels[type] ?? type;
  switch (type) {
    case 'set_status':
      return { text: does.set_status(valueWord(asText(params['status'])), snoozeWords(params, lookups)) };
    case 'set_priority':
      return { text: does.set_priority(valueWord(asText(params['priority']))) };
    case 'assign_member':
      return { text: assigned(params['assigned_member'], (id) => name(lookups.names.members, id)) };
    case 'assign_inbox':
      return { text: assigned(params['assigned_team_inbox'], (id) => name(lookups.names.inboxes, id)) };
    case 'add_tags':
    case 'remove_tags':
      return { text: does.values(label, joined(params['tags'])) };
    case 'set_custom_fields':
      return { text: does.values(label, pairs(params['custom_fields'])) };
    case 'update_contact':
      return { text: does.values(label, pairs(params)) };
    case 'send_message':
      return { text: label, says: describeContent(params, lookups) };
    case 'send_template':
      return { text: label, says: describeContent({ ...params, type: 'template' }, lookups) };
    case 'create_ticket':
      return { text: does.create_ticket(asText(params['title'])) };
    case 'move_stage':
      return { text: does.move_stage(stageName(lookups, params['stage'])) };
    case 'set_outcome':
      return { text: does.set_outcome(valueWord(asText(params['outcome'] ?? steps.noOutcome))) };
    case 'add_comment':
      return { text: does.add_comment(asText(params['body'])) };
    case 'escalate':
      return { text: does.escalate(name(lookups.names.members, params['escalated_to'])) };
    default:
      return { text: label };
  }
}

/** Returns the name of a stage with its pipeline's, and the template by which it notifies. */
export function stageName(lookups: Lookups, id: unknown): string {
  for (const pipeline of lookups.pipelines) {
    const stage = pipeline.stages.find((candidate) => candidate.id === Number(id));
    if (!stage) continue;
    const { name, notify_template_name: template } = stage;
    return steps.stageOf(pipeline.name, name) + (template ? steps.sends(template) : '');
  }
  return steps.stageNumbered(asText(id));
}

/** Returns what a customer would see of a message: its text, or its type with its main content. */
function describeContent(input: Json, lookups: Lookups): string {
  const { template_id: id, template, template_variables: variables, body, type } = input;
  if (id !== undefined && id !== null) {
    const found = lookups.templates.find((candidate) => candidate.template_id === String(id));
    return found ? renderTemplate(found, variables) : steps.template(asText(id), pairs(variables)).trim();
  }
  if (isPlainObject(template)) {
    const named = lookups.templates.find((candidate) => candidate.name === template['name']);
    const values = pairs({ components: template['components'] });
    return named
      ? `${renderTemplate(named, {})}\n\n${values}`.trim()
      : steps.template(asText(template['name']), values);
  }
  if (typeof body === 'string') return fillTemplate(body, isPlainObject(variables) ? variables['body'] : {});
  const kind = asText(type);
  const content = input[kind];
  if (isPlainObject(content)) {
    if (kind === 'text') return asText(content['body']);
    const spoken = [content['body'], content['caption'], content['name']].map(asText).find((text) => text !== '');
    const link = content['link'] ? `\n${asText(content['link'])}` : '';
    return `${kind}: ${spoken ?? JSON.stringify(content)}${link}`;
  }
  return JSON.stringify(body ?? input);
}

function snoozeWords({ snooze_minutes: minutes, snoozed_until: until }: Json, { moment }: Lookups): string {
  if (minutes !== undefined) return steps.forMinutes(asText(minutes));
  return until === undefined ? '' : steps.until(moment(asText(until)) || asText(until));
}

function assigned(id: unknown, nameOf: (id: unknown) => string): string {
  return id === null || id === undefined ? does.assignNobody : does.assign(nameOf(id));
}

function joined(value: unknown): string {
  return Array.isArray(value) ? value.map(asText).join(', ') : asText(value);
}

function pairs(value: unknown): string {
  if (!isPlainObject(value)) return '';
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => steps.pair(key.replaceAll('_', ' '), item === null ? steps.empty : joined(item)))
    .join(', ');
}
