import type { FieldErrors } from '../../../core/http/errors';
import { rehearsalShape } from '../../../services/processes/ruleRehearsal/operations';
import { changedRuleShape, ruleShape } from '../../../services/processes/ruleSettings/serializer';
import { macroShape } from '../../../services/resources/macros/serializer';
import { newRow, withoutRow } from '../keyedRows';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Removal } from '../parts';
import { askToDelete } from '../plainPages';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { loadMacros, loadRuleChoices, type Rule, type RuleChoices } from './choices';
import { draftOf, emptyDraft, inputOf, newCondition, readDraft, type Draft } from './draft';
import { RuleForm } from './editor';
import { Head, path, place } from './head';
import { listPage } from './list';
import { macroDoes, macroOf, notesOf } from './notes';
import { rehearsedDays, RehearsalPanel, type Rehearsal } from './rehearsal';
import { runsPage } from './runs';
import { readyRules, starterOf } from './starters';

const { rules, common } = words;
/** So many days a rehearsal looks back where nothing is said. */
const usualDays = 7;
const [view, manage] = ['macro.view', 'macro.manage'] as const;

/** Rules: list, editor with its rehearsal, runs, brake. */
export const rulePages = definePages([
  { method: 'GET', path, scope: view, run: (page) => listPage(page) },
  {
    method: 'GET',
    path: `${path}new/`,
    scope: manage,
    run: (page) => {
      const taken = readyRules(page.workspace).find(({ id }) => id === page.query['take']);
      return editor(page, null, { draft: taken?.draft ?? emptyDraft });
    },
  },
  { method: 'POST', path: `${path}new/`, scope: manage, run: (page) => edit(page, null) },
  {
    method: 'POST',
    path: `${path}brake/`,
    scope: 'workspace.manage',
    run: async (page) => {
      const on = page.form['on'] === 'true';
      const done = await page.attempt(() => page.call('rules.brake', { on, reason: page.form['reason'] ?? '' }));
      if ('errors' in done) return listPage(page, done.errors);
      return page.redirect(path, { text: on ? rules.brake.stopped : rules.brake.released });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope: view,
    run: async (page) => {
      const rule = await find(page);
      return editor(page, rule, { draft: draftOf(rule) });
    },
  },
  { method: 'POST', path: `${path}:id/`, scope: manage, run: async (page) => edit(page, await find(page)) },
  {
    method: 'POST',
    path: `${path}:id/state/`,
    scope: manage,
    run: async (page) => {
      const { id = '' } = page.params;
      const state = page.form['state'] ?? '';
      const saved = await page.attempt(() => readOne(page, changedRuleShape, 'rules.update', { id, state }));
      if ('errors' in saved) {
        const rule = await find(page);
        return editor(page, rule, { draft: draftOf(rule), errors: saved.errors });
      }
      return page.redirect(`${path}${id}/`, { text: rules.switched[state as Rule['state']] });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope: manage,
    confirm: askToDelete(rules.delete),
    run: async (page) => {
      await page.call('rules.delete', { id: page.params['id'] });
      return page.redirect(path, { text: rules.deleted });
    },
  },
  { method: 'GET', path: `${path}:id/runs/`, scope: view, run: async (page) => runsPage(page, await find(page)) },
]);

const find = (page: PageRequest): Promise<Rule> => readOne(page, ruleShape, 'rules.get', { id: page.params['id'] });

interface Shown {
  readonly draft: Draft;
  readonly errors?: FieldErrors;
  readonly result?: Rehearsal;
}

/** Changes the form, or saves it. */
async function edit(page: PageRequest, rule: Rule | null): Promise<PageAnswer> {
  const choices = await loadRuleChoices(page);
  const draft = readDraft(page, choices);
  const [verb = '', key = ''] = (page.form['do'] ?? 'save').split(':');
  if (verb === 'rehearse') return editor(page, rule, await rehearseDraft(page, draft, choices));
  if (verb !== 'save') return editor(page, rule, { draft: changed(draft, verb, key, choices) });
  const saved = await page.attempt(() => save(page, rule, draft, choices));
  if ('errors' in saved) return editor(page, rule, { draft: await withMacro(page, draft), errors: saved.errors });
  const { id, waits_ended: ended } = saved.value;
  const text = rule ? rules.saved(ended) : rules.made;
  return page.redirect(rule ? `${path}${id}/` : `${path}${id}/?days=${usualDays}`, { text });
}

function changed(draft: Draft, verb: string, key: string, choices: RuleChoices): Draft {
  const { on, conditions } = draft;
  if (verb === 'add_on') return { ...draft, on: [...on, newRow({ what: 'call.missed', to: '' })] };
  if (verb === 'drop_on') return { ...draft, on: withoutRow(on, key) };
  if (verb === 'add_if') return { ...draft, conditions: [...conditions, newCondition(choices)] };
  return verb === 'drop_if' ? { ...draft, conditions: withoutRow(conditions, key) } : draft;
}

/** A macro that a starter brings is made first: where it was made before, its rule takes it. */
async function withMacro(page: PageRequest, draft: Draft): Promise<Draft> {
  const starter = starterOf(page.workspace, draft.macro);
  if (!starter) return draft;
  const known = (await loadMacros(page)).find(({ name }) => name === starter.macro.name);
  return known ? { ...draft, macro: String(known.id) } : draft;
}

async function save(
  page: PageRequest,
  rule: Rule | null,
  given: Draft,
  choices: RuleChoices,
): Promise<{ readonly id: number; readonly waits_ended: number }> {
  const draft = await withMacro(page, given);
  const starter = starterOf(page.workspace, draft.macro);
  const macro = starter
    ? (await readOne(page, macroShape, 'macros.create', { ...starter.macro, description: '' })).id
    : draft.macro === ''
      ? undefined
      : draft.macro;
  const values = { ...inputOf(draft, choices), macro_id: macro };
  if (rule) return readOne(page, changedRuleShape, 'rules.update', { id: rule.id, ...values });
  return { ...(await readOne(page, ruleShape, 'rules.create', values)), waits_ended: 0 };
}

/** Rehearses what stands in the form. */
async function rehearseDraft(page: PageRequest, given: Draft, choices: RuleChoices): Promise<Shown> {
  const draft = await withMacro(page, given);
  if (draft.macro.startsWith('new:')) return { draft, errors: { macro_id: [rules.form.macroFirst] } };
  if (draft.macro === '') return { draft, errors: { macro_id: [rules.form.chooseMacro] } };
  const { name, ...values } = inputOf(draft, choices);
  const rule = { ...values, ...(name === '' ? {} : { name }), macro_id: draft.macro };
  const done = await page.attempt(() => readOne(page, rehearsalShape, 'rules.rehearse', { rule, days: usualDays }));
  return 'errors' in done ? { draft, errors: done.errors } : { draft, result: done.value };
}

async function editor(page: PageRequest, rule: Rule | null, { draft, errors, result }: Shown): Promise<PageAnswer> {
  const choices = await loadRuleChoices(page);
  const macro = macroOf(page, draft, choices);
  const [does, notes] = await Promise.all([macroDoes(page, macro), notesOf(page, draft)]);
  const action = `${path}${rule?.id ?? 'new'}/`;
  const form = (
    <RuleForm
      page={page}
      action={action}
      draft={draft}
      choices={choices}
      macro={macro?.name}
      does={does}
      notes={notes}
      errors={errors}
      waiting={rule?.counts.waiting ?? 0}
      isNew={rule === null}
      result={result}
    />
  );
  const status = errors ? { status: 422 } : {};
  if (page.isPartial && page.req.method === 'POST') return page.part(form, status);
  const body = (
    <div class="rule-page">
      <Head rule={rule} current="rule" />
      {form}
      {rule && <RehearsalPanel {...await rehearse(page, rule)} />}
      {rule && page.may('rules.delete') && (
        <Removal
          action={`${action}delete/`}
          csrf={page.csrf}
          icon="trash"
          text={rules.delete.button}
          ask={{ title: rules.delete.named(rule.name), text: rules.delete.text, button: common.delete }}
        />
      )}
    </div>
  );
  return page.page(body, { title: rule?.name ?? rules.new, place, ...status });
}

/** Rehearses where that was asked for: the address says of how many days. */
async function rehearse(page: PageRequest, rule: Rule): Promise<Parameters<typeof RehearsalPanel>[0]> {
  const asked = Number(page.query['days']);
  const days = rehearsedDays.find((one) => one === asked) ?? usualDays;
  const given = { page, rule, path: `${path}${rule.id}/`, days };
  if (asked !== days || !page.may('rules.rehearse')) return { ...given, result: null };
  const result = await page.attempt(() => readOne(page, rehearsalShape, 'rules.rehearse', { rule_id: rule.id, days }));
  return { ...given, result };
}
