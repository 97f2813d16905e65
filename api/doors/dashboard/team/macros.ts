import { isPlainObject, Fault } from '../../../core/http/fields';
import type { FieldErrors } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { macroRunStart } from '../../../../workflows/starts';
import { parseActions } from '../../../services/resources/macros/actions';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asText, loadLookups, objectsOf, type Json, type Lookups } from '../lookups';
import { fieldsOf, fromEdited, stepForms, toEdited, type EditedStep } from './macroForm';
import { actionLabels, describeStep } from './stepTexts';

const path = '/dashboard/macros/';
const place = 'macros';

interface Macro {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly actions: unknown;
}

/** Macros: list, editor, delete. */
export const macroPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'macro.view',
    run: async (page) => {
      const [macros, lookups] = await Promise.all([page.call<readonly Macro[]>('macros.list'), loadLookups(page)]);
      const told = macros.map((macro) => ({ ...macro, steps: tellSteps(macro, lookups) }));
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
}

function workflowOf(page: PageRequest, { id, macro, chat_id: chat, ticket_id: ticket }: Run): string | null {
  const on = { macroId: macro, conversationId: chat, ticketId: ticket };
  return page.workflow(macroRunStart(page.workspace.id, id, on));
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
  const steps = draft.steps.map((step, index) => ({
    ...step,
    label: actionLabels[step.type] ?? step.type,
    fields: fieldsOf(step, lookups),
    errors: stepErrors(errors, index),
  }));
  const runs =
    macro && !page.isPartial ? (await page.call<Page<Run>>('macros.runs', { id: macro.id, page_size: 10 })).items : [];
  const data = {
    macro,
    draft,
    steps,
    errors: otherErrors(errors),
    isGood,
    // What stands in the form is nowhere else yet.
    isUnsaved: page.req.method === 'POST',
    kinds: Object.keys(stepForms).map((value) => ({ value, label: actionLabels[value] ?? value })),
    runs: runs.map((run) => ({ ...run, workflow: workflowOf(page, run) })),
    path,
  };
  const status = errors ? { status: 422 } : {};
  if (page.isPartial) return page.part('/macros/form', data, status);
  return page.page('/macros/edit', data, { title: macro ? macro.name : 'New macro', place, ...status });
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

function tellSteps(macro: Macro, lookups: Lookups): readonly { text: string; says?: string }[] {
  return objectsOf(macro.actions).map(({ type, params }) =>
    describeStep(asText(type), (isPlainObject(params) ? params : {}) satisfies Json, lookups),
  );
}
