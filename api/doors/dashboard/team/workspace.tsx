import type { KeptKind } from '../../../core/config';
import type { FieldErrors } from '../../../core/http/errors';
import { ignoredShape } from '../../../services/processes/events/operations';
import { workspaceShape } from '../../../services/processes/workspaceSetup/operations';
import { fieldOf, knownFields, readFields } from '../declaredForms';
import { sentence } from '../fieldViews';
import { Filled } from '../filled';
import { countryOptions, languageOptions } from '../forms';
import type { Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Errors, Field, Form, Radios } from '../parts';
import { readList, readOne } from '../typedCalls';
import { words } from '../words';
import { settingsPage } from './settings';
import { Facts } from './settingsParts';

const { workspace, common } = words;
const path = '/dashboard/workspace/';
const planPath = '/dashboard/plan/';
const scope = 'workspace.manage';
const billing = 'billing';

/** The workspace's settings, and its plan. */
export const workspacePages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => form(page, await readOne(page, workspaceShape, 'workspace.get')),
  },
  {
    method: 'POST',
    path,
    scope,
    run: async (page) => {
      const values = readFields(page, known(page));
      const saved = await page.attempt(() => page.call('workspace.update', values));
      if ('errors' in saved) return form(page, page.form, saved.errors);
      return page.redirect(path, { text: workspace.saved });
    },
  },
  { method: 'GET', path: planPath, scope: billing, run: (page) => plan(page) },
  {
    method: 'POST',
    path: planPath,
    scope: billing,
    run: async (page) => {
      const chosen = await page.attempt(() => page.call('workspace.choosePlan', { plan: page.form['plan'] }));
      if ('errors' in chosen) return plan(page, chosen.errors);
      return page.redirect(planPath, { text: workspace.plan.chosen });
    },
  },
]);

type Name = keyof typeof workspace.fields;
const timezones = { list: 'timezones', autocomplete: 'off' };

function known(page: PageRequest) {
  const countries = countryOptions(workspace.noCountry);
  return knownFields(
    [
      { name: 'name', required: true },
      { name: 'timezone', required: true, attributes: timezones },
      { name: 'language', options: languageOptions() },
      { name: 'country', options: countries },
      { name: 'opt_out_words', as: 'lines', rows: 4, required: true },
      { name: 'opt_in_words', as: 'lines', rows: 4 },
      { name: 'require_factor' },
      { name: 'show_read' },
      { name: 'show_typing' },
      { name: 'ask_satisfaction' },
      { name: 'satisfaction_question', required: true },
      { name: 'satisfaction_labels', as: 'lines', rows: 3, required: true },
    ],
    page.operations.get('workspace.update')?.body,
  );
}

async function form(page: PageRequest, values: object, errors?: FieldErrors): Promise<PageAnswer> {
  const fields = known(page);
  const typed = new Map(Object.entries(values));
  const field = (name: Name): Html | null => {
    const declared = fields.find((one) => one.name === name);
    if (!declared) return null;
    return <Field {...fieldOf(declared, workspace.fields[name], typed.get(name), errors)} />;
  };
  const shown = fields.filter(({ kind }) => kind !== 'checkbox').map(({ name }) => name);
  const body = (
    <>
      <h1>{workspace.title}</h1>
      <PlanPanel page={page} />
      <Form class="column" action={path} csrf={page.csrf}>
        <Errors errors={errors} fields={shown} />
        {field('name')}
        {field('timezone')}
        <datalist id="timezones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option value={zone}></option>
          ))}
        </datalist>
        {field('language')}
        {field('country')}
        {field('opt_out_words')}
        {field('opt_in_words')}
        {field('require_factor')}
        <h2>{workspace.customersSee}</h2>
        {field('show_read')}
        {field('show_typing')}
        <h2>{workspace.satisfaction}</h2>
        {field('ask_satisfaction')}
        {field('satisfaction_question')}
        {field('satisfaction_labels')}
        {page.may('workspace.update') && (
          <div class="actions">
            <button class="button button-main" type="submit">
              {common.save}
            </button>
          </div>
        )}
      </Form>
      {await ignoredKinds(page)}
      <Kept page={page} />
    </>
  );
  const status = errors ? { status: 422 } : {};
  return settingsPage(page, body, { section: 'workspace', title: workspace.title, ...status });
}

function PlanPanel({ page }: { readonly page: PageRequest }): Html {
  const { plan: own } = workspace;
  const { plan: chosen, trial_ends_at: end } = page.workspace;
  return (
    <section class="panel panel-row" aria-labelledby="plan-title">
      <div>
        <h2 id="plan-title">{own.title}</h2>
        <p class="soft">
          {chosen ? (
            <Filled text={own.on} parts={{ plan: <strong>{chosen}</strong> }} />
          ) : end ? (
            <Filled
              text={new Date(end) <= page.now ? own.ended : own.ends}
              parts={{ at: page.timePart(end, 'full') }}
            />
          ) : (
            own.none
          )}
        </p>
      </div>
      {page.can(billing) && (
        <a class={page.isReadOnly ? 'button button-main' : 'button'} href={planPath}>
          {chosen ? own.change : own.choose}
        </a>
      )}
    </section>
  );
}

/** What the platform sends and nothing is done with. */
async function ignoredKinds(page: PageRequest): Promise<Html> {
  const ignored = await readList(page, ignoredShape, 'platformEvents.listIgnored');
  const { title, about, count: text } = workspace.ignored;
  if (ignored.length === 0) return <></>;
  const facts = ignored.map(
    ({ field, count, last_received_at: last }) =>
      [field, <Filled text={text} parts={{ count, at: page.timePart(last, 'full') }} />] as const,
  );
  return (
    <section class="kept" aria-labelledby="ignored-title">
      <h2 id="ignored-title">{title}</h2>
      <p class="soft">{about}</p>
      <Facts facts={facts} style="whole" />
    </section>
  );
}

/** What is removed by itself after a while. */
function Kept({ page }: { readonly page: PageRequest }): Html {
  const { title, about, kinds, days: text } = workspace.kept;
  const days = page.ctx.runtime.config.retainDays;
  const names = Object.keys(kinds) as KeptKind[];
  // Messages are kept for ever unless the operator says otherwise.
  const kept = names.filter((name) => days[name] > 0).map((name) => [kinds[name], text(days[name])] as const);
  return (
    <section class="kept" aria-labelledby="kept-title">
      <h2 id="kept-title">{title}</h2>
      <p class="soft">{about}</p>
      <Facts facts={kept} style="whole" />
    </section>
  );
}

async function plan(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const { plan: own } = workspace;
  const { plan: chosen, available_plans: names } = await readOne(page, workspaceShape, 'workspace.get');
  const plans = names.map((name, index) => ({
    name: 'plan',
    value: name,
    label: sentence(name),
    detail: '',
    isChosen: chosen ? name === chosen : index === 0,
  }));
  const body = (
    <>
      <h1>{own.title}</h1>
      <p class="soft">
        {page.isReadOnly ? (
          own.over
        ) : chosen ? (
          <Filled text={own.on} parts={{ plan: <strong>{chosen}</strong> }} />
        ) : (
          own.before
        )}
      </p>
      <Form class="column" action={planPath} csrf={page.csrf}>
        <Errors errors={errors} />
        <fieldset>
          <legend class="label">{own.title}</legend>
          <Radios radios={plans} />
        </fieldset>
        <div class="actions">
          <button class="button button-main" type="submit">
            {own.chooseThis}
          </button>
        </div>
      </Form>
    </>
  );
  return settingsPage(page, body, { section: 'plan', title: own.title, ...(errors ? { status: 422 } : {}) });
}
