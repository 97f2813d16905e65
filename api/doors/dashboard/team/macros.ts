import { isPlainObject, Fault } from '../../../core/http/fields';
import type { FieldErrors } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { macroRunStart } from '../../../../workflows/starts';
import { parseActions } from '../../../services/resources/macros/actions';
import { statusTag, type FieldGiven, type TagView } from '../fieldViews';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asText, loadLookups, objectsOf, type Lookups } from '../lookups';
import { fieldsOf, fromEdited, stepForms, toEdited, type EditedStep } from './macroForm';
import { actionLabels, describeStep, type StepText } from './stepTexts';

const path = '/dashboard/macros/';
const place = 'macros';

interface Macro {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly actions: unknown;
}

/** A macro as a row of the list. */
interface MacroRow extends Pick<Macro, 'name' | 'description'> {
  /** What its first steps do. */
  readonly steps: string;
  readonly path: string;
}

const stepsShown = 4;

function macroRow({ id, name, description, actions }: Macro, lookups: Lookups): MacroRow {
  const steps = objectsOf(actions).map(
    ({ type, params }) => describeStep(asText(type), isPlainObject(params) ? params : {}, lookups).text,
  );
  const more = steps.length > stepsShown ? ` · and ${steps.length - stepsShown} more` : '';
  return { name, description, steps: `${steps.slice(0, stepsShown).join(' · ')}${more}`, path: `${path}${id}/` };
}

/** Macros: list, editor, delete. */
export const macroPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'macro.view',
    run: async (page) => {
      const [macros, lookups] = await Promise.all([page.call<readonly Macro[]>('macros.list'), loadLookups(page)]);
      const told = macros.map((macro) => macroRow(macro, lookups));
      return page.page('/macros/list', { macros: told, path }, { title: 'Macros', place });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope: 'macro.manage',
    run: (page) => editor(page, null, { name: '', description: '', steps: [] }),
  },
  { method: 'POST', path: `${path}new/`, scope: 'macro.manage', run: (page) => edit(page, null) },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope: 'macro.view',
    run: async (page) => {
      const macro = await page.call<Macro>('macros.get', { id: page.params['id'] });
      const lookups = await loadLookups(page);
      const steps = objectsOf(macro.actions).map(({ type, params }) =>
        toEdited(asText(type), isPlainObject(params) ? params : {}, lookups),
      );
      const { name, description } = macro;
      return editor(page, macro, { name, description, steps });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope: 'macro.manage',
    run: async (page) => edit(page, await page.call<Macro>('macros.get', { id: page.params['id'] })),
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope: 'macro.manage',
    confirm: { title: 'Delete this macro?', text: 'It cannot be brought back.', button: 'Delete' },
    run: async (page) => {
      await page.call('macros.delete', { id: page.params['id'] });
      return page.redirect(path, { text: 'The macro is deleted.' });
    },
  },
]);

interface Run {
  readonly id: number;
  readonly macro: number;
  readonly chat_id: number | null;
  readonly ticket_id: number | null;
  readonly status: string;
  readonly actor: { readonly name: string; readonly email: string } | null;
  readonly failed_step: { readonly index: number; readonly message: string } | null;
  readonly created_at: string;
}

/** A run as a row of the list. */
interface RunView {
  readonly id: number;
  readonly state: TagView;
  /** On what it ran, and by whom. */
  readonly what: string;
  readonly at: string;
  /** Where it failed; empty: it did not. */
  readonly failure: string;
  readonly workflow: string | null;
}

function runView(page: PageRequest, run: Run): RunView {
  const { id, macro, chat_id: chat, ticket_id: ticket, actor, failed_step: failed } = run;
  const on = { macroId: macro, conversationId: chat, ticketId: ticket };
  const target = ticket ? `on ticket ${ticket}` : `in conversation ${chat}`;
  return {
    id,
    state: statusTag(run.status),
    what: actor ? `${target} by ${actor.name || actor.email}` : target,
    at: run.created_at,
    failure: failed ? `Step ${failed.index}: ${failed.message}` : '',
    workflow: page.workflow(macroRunStart(page.workspace.id, id, on)),
  };
}

/** A step as the editor shows it. */
interface StepView {
  readonly type: string;
  readonly number: number;
  readonly label: string;
  /** The name of the hidden field with its type. */
  readonly typeName: string;
  /** What is wrong with it beyond its fields. */
  readonly errors: readonly string[];
  readonly fields: readonly FieldGiven[];
  readonly moves: readonly { readonly value: string; readonly label: string }[];
}

/** A change of these shows other fields. */
const showsOthers = /^(body|template_id)$/;

function stepViews(draft: Draft, errors: FieldErrors | undefined, lookups: Lookups, form: FormPlace): StepView[] {
  return draft.steps.map((step, index) => {
    const wrong = stepErrors(errors, index);
    const fields = fieldsOf(step, lookups);
    const stray = Object.entries(wrong).filter(([name]) => !fields.some((field) => field.name === name));
    return {
      type: step.type,
      number: index + 1,
      label: actionLabels[step.type] ?? step.type,
      typeName: `step-${index}-type`,
      errors: stray.map(([name, messages]) =>
        name === 'non_field_errors' ? messages.join(' ') : `${name.replaceAll('_', ' ')}: ${messages.join(' ')}`,
      ),
      fields: fields.map((field) => stepField(field, step, `step-${index}-${field.name}`, wrong[field.name], form)),
      moves: [
        ...(index > 0 ? [{ value: `up:${index}`, label: 'Move up' }] : []),
        ...(index < draft.steps.length - 1 ? [{ value: `down:${index}`, label: 'Move down' }] : []),
        { value: `remove:${index}`, label: 'Remove' },
      ],
    };
  });
}

/** Where the form goes, and whether the member may send it. */
interface FormPlace {
  readonly action: string;
  readonly mayWrite: boolean;
}

function stepField(
  field: ReturnType<typeof fieldsOf>[number],
  { values }: EditedStep,
  name: string,
  wrong: readonly string[] | undefined,
  { action, mayWrite }: FormPlace,
): FieldGiven {
  return {
    ...field,
    name,
    value: values[field.name],
    errors: wrong ? { [name]: [...wrong] } : {},
    attributes:
      showsOthers.test(field.name) && mayWrite
        ? {
            'hx-post': action,
            'hx-trigger': 'change',
            'hx-target': '#macro',
            'hx-swap': 'morph:outerHTML',
            'hx-include': '#macro',
            'hx-vals': '{"do":"refresh"}',
          }
        : {},
  };
}

/** Says what an edited step does, and what a customer would read of it; only its name while something is missing. */
function toldStep(edited: EditedStep, lookups: Lookups): StepText {
  const step = fromEdited(edited, lookups);
  const { type, params } = step;
  if (parseActions([step]) instanceof Fault) return { text: `${actionLabels[type] ?? type}: not complete yet` };
  return describeStep(type, isPlainObject(params) ? params : {}, lookups);
}

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly steps: readonly EditedStep[];
}

/** Changes the steps of the form, or saves it. */
async function edit(page: PageRequest, macro: Macro | null): Promise<PageAnswer> {
  const lookups = await loadLookups(page);
  const draft = readDraft(page);
  const [verb = '', at = ''] = (page.form['do'] ?? 'save').split(':');
  if (verb !== 'save') {
    const steps = changeSteps(draft.steps, verb, Number(at), page.form['add'] ?? '');
    // A step that was only just added is not wrong yet.
    const errors = verb === 'check' ? check(steps, lookups) : undefined;
    return editor(page, macro, { ...draft, steps }, errors, verb === 'check' && errors === undefined);
  }
  const { name, description } = draft;
  const actions = draft.steps.map((step) => fromEdited(step, lookups));
  const saved = await page.attempt(() =>
    macro
      ? page.call('macros.update', { id: macro.id, name, description, actions })
      : page.call('macros.create', { name, description, actions }),
  );
  if ('errors' in saved) return editor(page, macro, draft, saved.errors);
  return page.redirect(path, { text: 'The macro is saved.' });
}

function check(steps: readonly EditedStep[], lookups: Lookups): FieldErrors | undefined {
  const read = parseActions(steps.map((step) => fromEdited(step, lookups)));
  return read instanceof Fault ? { actions: [...read.messages] } : undefined;
}

function changeSteps(steps: readonly EditedStep[], verb: string, at: number, type: string): readonly EditedStep[] {
  const changed = [...steps];
  if (verb === 'add' && Object.hasOwn(stepForms, type)) changed.push({ type, values: {} });
  if (verb === 'remove') changed.splice(at, 1);
  const other = verb === 'up' ? at - 1 : verb === 'down' ? at + 1 : -1;
  const [first, second] = [changed[at], changed[other]];
  if (first && second) [changed[at], changed[other]] = [second, first];
  return changed;
}

/** Steps come as `step-0-type`, `step-0-body`, …, in the order of the form. */
function readDraft(page: PageRequest): Draft {
  const steps = new Map<string, { type: string; values: Record<string, string> }>();
  for (const [key, value] of Object.entries(page.form)) {
    const match = /^step-(\d{1,2})-(\w+)$/.exec(key);
    if (!match?.[1] || !match[2]) continue;
    const step = steps.get(match[1]) ?? { type: '', values: {} };
    if (match[2] === 'type') step.type = value;
    else step.values[match[2]] = value.replace(/\r\n/g, '\n');
    steps.set(match[1], step);
  }
  const { name = '', description = '' } = page.form;
  return { name, description, steps: [...steps.values()] };
}

async function editor(
  page: PageRequest,
  macro: Macro | null,
  draft: Draft,
  errors?: FieldErrors,
  isGood = false,
): Promise<PageAnswer> {
  const lookups = await loadLookups(page);
  const form = { action: `${path}${macro?.id ?? 'new'}/`, mayWrite: page.may('macros.update') };
  const title = macro?.name ?? 'New macro';
  const runs =
    macro && !page.isPartial ? (await page.call<Page<Run>>('macros.runs', { id: macro.id, page_size: 10 })).items : [];
  const data = {
    ...form,
    title,
    draft,
    steps: stepViews(draft, errors, lookups, form),
    errors: otherErrors(errors),
    isGood,
    told: draft.steps.map((step) => toldStep(step, lookups)),
    // The content of the form is not stored yet.
    isUnsaved: page.req.method === 'POST',
    kinds: Object.keys(stepForms).map((value) => ({ value, label: actionLabels[value] ?? value })),
    runs: runs.map((run) => runView(page, run)),
    path,
  };
  const status = errors ? { status: 422 } : {};
  if (page.isPartial) return page.part('/macros/form', data, status);
  return page.page('/macros/edit', data, { title, place, ...status });
}

/** Returns what is wrong with one step: `2: send_message: body: …` by field, and the rest by the name of none. */
function stepErrors(errors: FieldErrors | undefined, index: number): FieldErrors {
  const found: FieldErrors = {};
  for (const message of errors?.['actions'] ?? []) {
    const match = /^(\d+): (?:\w+: )?(?:(\w+): )?([\s\S]*)$/.exec(message);
    if (!match || Number(match[1]) !== index + 1) continue;
    (found[match[2] ?? 'non_field_errors'] ??= []).push(match[3] ?? '');
  }
  return found;
}

function otherErrors(errors: FieldErrors | undefined): FieldErrors | undefined {
  if (!errors) return undefined;
  const { actions = [], ...rest } = errors;
  const general = actions.filter((message) => !/^\d+: /.test(message));
  return general.length > 0 ? { ...rest, steps: general } : rest;
}
