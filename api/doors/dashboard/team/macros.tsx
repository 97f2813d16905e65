import { macroRunStart } from '../../../../workflows/starts';
import { Fault } from '../../../core/http/fields';
import type { FieldErrors } from '../../../core/http/errors';
import type { AnswerOf } from '../../../core/http/shapes';
import { runShape } from '../../../services/processes/macroRuns/serializer';
import { parseActions } from '../../../services/resources/macros/actions';
import { macroShape } from '../../../services/resources/macros/serializer';
import { statusTag } from '../fieldViews';
import { Icon, type Html } from '../html';
import { keyed, keysIn, newRow, withoutRow } from '../keyedRows';
import { loadLookups, type Lookups } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asking, Empty, Form, Tag } from '../parts';
import { askToDelete } from '../plainPages';
import { readList, readOne, readPage } from '../typedCalls';
import { refusalText, refusalTexts } from '../refusals';
import { words } from '../words';
import { MacroForm, type MacroDraft } from './macroEditor';
import { fromEdited, stepForms, toEdited, type EditedStep, type StepRow } from './macroForm';
import { describeStep } from './stepTexts';
import { Head, NewLink } from '../headParts';

const { macros, common } = words;
const path = '/dashboard/macros/';
const place = 'macros';
const stepsShown = 4;

type Macro = AnswerOf<typeof macroShape>;
type Run = AnswerOf<typeof runShape>;

const find = (page: PageRequest): Promise<Macro> => readOne(page, macroShape, 'macros.get', { id: page.params['id'] });

/** Macros: list, editor, delete. */
export const macroPages = definePages([
  { method: 'GET', path, scope: 'macro.view', run: showList },
  {
    method: 'GET',
    path: `${path}new/`,
    scope: 'macro.manage',
    run: async (page) => editor(page, null, await loadLookups(page), { name: '', description: '', steps: [] }),
  },
  { method: 'POST', path: `${path}new/`, scope: 'macro.manage', run: (page) => edit(page, null) },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope: 'macro.view',
    run: async (page) => {
      const macro = await find(page);
      const lookups = await loadLookups(page);
      const { name, description, actions } = macro;
      const steps = keyed(actions.map(({ type, params }) => toEdited(type, params, lookups)));
      return editor(page, macro, lookups, { name, description, steps });
    },
  },
  { method: 'POST', path: `${path}:id/`, scope: 'macro.manage', run: async (page) => edit(page, await find(page)) },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope: 'macro.manage',
    confirm: askToDelete(macros.delete),
    run: async (page) => {
      await page.call('macros.delete', { id: page.params['id'] });
      return page.redirect(path, { text: macros.deleted });
    },
  },
]);

async function showList(page: PageRequest): Promise<PageAnswer> {
  const [found, lookups] = await Promise.all([readList(page, macroShape, 'macros.list'), loadLookups(page)]);
  const mayMake = page.may('macros.create');
  const { empty } = macros;
  const body = (
    <div class="column column-wide">
      <Head title={macros.title}>{mayMake && <NewLink href={`${path}new/`} text={macros.new} />}</Head>
      {found.length === 0 && (
        <Empty icon="zap" title={empty.title} text={empty.text}>
          {mayMake && (
            <p>
              <a class="button" href={`${path}new/`}>
                {empty.first}
              </a>
            </p>
          )}
        </Empty>
      )}
      <ul class="rows">
        {found.map((macro) => (
          <Row page={page} macro={macro} lookups={lookups} />
        ))}
      </ul>
    </div>
  );
  return page.page(body, { title: macros.title, place });
}

interface RowGiven {
  readonly page: PageRequest;
  readonly macro: Macro;
  readonly lookups: Lookups;
}

function Row({ page, macro, lookups }: RowGiven): Html {
  const { id, name, description, actions } = macro;
  const own = `${path}${id}/`;
  const steps = actions.map(({ type, params }) => describeStep(type, params, lookups).text);
  const more = steps.length > stepsShown ? macros.more(steps.length - stepsShown) : '';
  const asked = asking({ title: macros.delete.named(name), text: macros.delete.text, button: common.delete });
  return (
    <li class="row-item">
      <div>
        <a href={own}>
          <strong>{name}</strong>
        </a>
        {description && (
          <>
            {' '}
            <span class="soft">{description}</span>
          </>
        )}
        <br />
        <span class="soft small">
          {steps.slice(0, stepsShown).join(' · ')}
          {more}
        </span>
      </div>
      {page.may('macros.delete') && (
        <Form action={`${own}delete/`} csrf={page.csrf} {...asked}>
          <button class="button button-small" type="submit">
            {common.delete}
            <span class="visually-hidden"> {name}</span>
          </button>
        </Form>
      )}
    </li>
  );
}

function RunRow({ page, run }: { readonly page: PageRequest; readonly run: Run }): Html {
  const { id, macro, chat_id: chat, ticket_id: ticket, status, actor, failed_step: failed } = run;
  const on = { macroId: macro, conversationId: chat, ticketId: ticket };
  const workflow = page.workflow(macroRunStart(page.workspace.id, id, on));
  const target = ticket ? macros.runs.onTicket(ticket) : macros.runs.inConversation(chat);
  return (
    <li class="row-item">
      <div>
        <Tag {...statusTag(status, macros.runs.states[status])} />{' '}
        {actor ? macros.runs.by(target, actor.name || actor.email) : target}, {page.timePart(run.created_at, 'full')}
        {failed && (
          <>
            <br />
            <span class="soft small">{macros.runs.failed(failed.index, refusalText(failed.message))}</span>
          </>
        )}
      </div>
      {workflow && (
        <a class="small whole" href={workflow} target="_blank" rel="noreferrer">
          {macros.runs.temporal}
          <span class="visually-hidden">{macros.runs.run(id)}</span> <Icon name="external-link" />
        </a>
      )}
    </li>
  );
}

/** Changes the steps of the form, or saves it. */
async function edit(page: PageRequest, macro: Macro | null): Promise<PageAnswer> {
  const lookups = await loadLookups(page);
  const draft = readDraft(page);
  const [verb = '', key = ''] = (page.form['do'] ?? 'save').split(':');
  if (verb !== 'save') {
    const steps = changeSteps(draft.steps, verb, key, page.form['add'] ?? '');
    // A step that was only just added is not wrong yet.
    const errors = verb === 'check' ? check(steps, lookups) : undefined;
    return editor(page, macro, lookups, { ...draft, steps }, errors, verb === 'check' && errors === undefined);
  }
  const { name, description } = draft;
  const actions = draft.steps.map((step) => fromEdited(step, lookups));
  const saved = await page.attempt(() =>
    macro
      ? page.call('macros.update', { id: macro.id, name, description, actions })
      : page.call('macros.create', { name, description, actions }),
  );
  if ('errors' in saved) return editor(page, macro, lookups, draft, saved.errors);
  return page.redirect(path, { text: macros.saved });
}

function check(steps: readonly EditedStep[], lookups: Lookups): FieldErrors | undefined {
  const read = parseActions(steps.map((step) => fromEdited(step, lookups)));
  return read instanceof Fault ? refusalTexts({ actions: read.reasons }) : undefined;
}

function changeSteps(steps: readonly StepRow[], verb: string, key: string, type: string): readonly StepRow[] {
  if (verb === 'add' && Object.hasOwn(stepForms, type)) return [...steps, newRow({ type, values: {} })];
  if (verb === 'remove') return withoutRow(steps, key);
  const changed = [...steps];
  const at = steps.findIndex((step) => step.key === key);
  const other = verb === 'up' ? at - 1 : verb === 'down' ? at + 1 : -1;
  const [first, second] = [changed[at], changed[other]];
  if (first && second) [changed[at], changed[other]] = [second, first];
  return changed;
}

/** Steps come as `step-0-type`, `step-0-body`, …: by the keys of their rows, in the order of the form. */
function readDraft(page: PageRequest): MacroDraft {
  const { name = '', description = '' } = page.form;
  const steps = keysIn(page, 'step').map((key): StepRow => {
    const prefix = `step-${key}-`;
    const { type = '', ...values } = Object.fromEntries(
      Object.entries(page.form)
        .filter(([field]) => field.startsWith(prefix))
        .map(([field, value]) => [field.slice(prefix.length), value.replace(/\r\n/g, '\n')]),
    );
    return { key, type, values };
  });
  return { name, description, steps };
}

async function editor(
  page: PageRequest,
  macro: Macro | null,
  lookups: Lookups,
  draft: MacroDraft,
  errors?: FieldErrors,
  isGood = false,
): Promise<PageAnswer> {
  const action = `${path}${macro?.id ?? 'new'}/`;
  const form = (
    <MacroForm page={page} action={action} draft={draft} lookups={lookups} errors={errors} isGood={isGood} />
  );
  const status = errors ? { status: 422 } : {};
  if (page.isPartial) return page.part(form, status);
  const runs = macro ? (await readPage(page, runShape, 'macros.runs', { id: macro.id, page_size: 10 })).items : [];
  const title = macro?.name ?? macros.new;
  const body = (
    <div class="column">
      <Head title={title} back={{ href: path, label: macros.title }} />
      {form}
      {runs.length > 0 && (
        <>
          <h2>{macros.runs.title}</h2>
          <ul class="rows">
            {runs.map((run) => (
              <RunRow page={page} run={run} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
  return page.page(body, { title, place, ...status });
}
