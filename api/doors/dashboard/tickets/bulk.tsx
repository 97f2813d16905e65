import { undoSeconds } from '../../../services/processes/bulkChanges/service';
import { bulkOutcomeShape, bulkPreviewShape, bulkUndoShape } from '../../../services/processes/bulkChanges/operations';
import { priorities } from '../../../../models/enums';
import { BulkHead, bulkData } from '../bulkParts';
import type { Confirmation } from '../fieldViews';
import { Icon, type Html } from '../html';
import { undoOfMany } from '../lastChange';
import { Choices, type Choice } from '../menuChoices';
import { loadTeam } from '../lookups';
import { definePages, toastEvent, type PageAnswer, type PageRequest, type Toast } from '../page';
import { Form } from '../parts';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { filtersOf } from './filters';
import { readPipelines, ticketsPath, type Pipeline } from './read';

const { bulk: said, priorities: names, fields } = words.tickets;
const bulkPath = `${ticketsPath}bulk/`;

/** Changes of many tickets. */
export const bulkTicketPages = definePages([
  { method: 'POST', path: bulkPath, scope: 'ticket.manage', confirm: askFirst, run: changeMany },
  { method: 'POST', path: `${bulkPath}undo/`, scope: 'ticket.manage', run: undoMany },
]);

interface BulkGiven {
  readonly page: PageRequest;
  /** What the list is narrowed by. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly count: number;
  /** Those whose stages are offered. */
  readonly pipelines: readonly Pipeline[];
}

/** The form that changes the selected tickets. */
export async function bulkForm({ page, query, count, pipelines }: BulkGiven): Promise<Html> {
  const { answerers } = await loadTeam(page);
  const menus: Readonly<Record<keyof typeof said.menus, readonly Choice[]>> = {
    assign: [
      ...answerers.map(({ id, name, email }) => ({ name: 'assigned_to', value: id, label: name || email })),
      { name: 'assigned_to', value: '', label: fields.nobody },
    ],
    priority: [...priorities].reverse().map((value) => ({ name: 'priority', value, label: names[value] })),
    move: pipelines.flatMap((pipeline) =>
      pipeline.stages.map(({ id, name, notify_template_name: template }) => ({
        name: 'stage',
        value: id,
        label: pipelines.length > 1 ? fields.stageOf(pipeline.name, name) : name,
        isUnasked: true,
        ...(template ? { icon: 'send' as const } : {}),
      })),
    ),
  };
  return (
    <Form
      class="bulk"
      id="bulk"
      action={page.link(bulkPath, query)}
      csrf={page.csrf}
      aria-label={said.label}
      {...bulkData({ count: String(count), said }, said.canBeTakenBack(undoSeconds))}
    >
      <BulkHead count={String(count)} said={said} />
      <p class="row">
        {(Object.keys(menus) as (keyof typeof menus)[]).map((name) => (
          <button class="button button-small" type="button" popovertarget={`bulk-${name}`}>
            {said.menus[name]}
          </button>
        ))}
        <label class="visually-hidden" for="bulk-tag">
          {said.tagLabel}
        </label>
        <input class="input" id="bulk-tag" name="add_tags" placeholder={said.tag} maxlength={255} autocomplete="off" />
        <button class="button button-small" name="do" value="tag">
          <Icon name="tag" />
          {said.addTag}
        </button>
      </p>
      {(Object.keys(menus) as (keyof typeof menus)[]).map((name) => (
        <div class="menu menu-up" id={`bulk-${name}`} popover="auto">
          <Choices choices={menus[name]} />
        </div>
      ))}
    </Form>
  );
}

/** Returns what the form asks for: the tickets, and what becomes of them. */
function inputOf(page: PageRequest): Readonly<Record<string, unknown>> {
  const { form } = page;
  const { ordering: _ordering, ...filters } = filtersOf(page.query);
  const { pipeline } = page.query;
  const which =
    form['all'] === 'true'
      ? { filters: { ...filters, ...(pipeline === undefined ? {} : { pipeline }) } }
      : { ticket_ids: page.all('ticket').map(Number) };
  const change = {
    ...(form['stage'] === undefined ? {} : { stage: Number(form['stage']) }),
    ...(form['priority'] === undefined ? {} : { priority: form['priority'] }),
    ...(form['assigned_to'] === undefined ? {} : { assigned_to: Number(form['assigned_to']) || null }),
    ...(form['do'] === 'tag' && form['add_tags'] ? { add_tags: [form['add_tags']] } : {}),
  };
  return { ...which, change };
}

/** Nobody sees all that match, and a message cannot be taken back: both are never done without a question. */
async function askFirst(page: PageRequest): Promise<Confirmation | null> {
  const isAll = page.form['all'] === 'true';
  const stage = page.form['stage'];
  if (!isAll && stage === undefined) return null;
  const found = await page.attempt(() => readOne(page, bulkPreviewShape, 'bulkChanges.previewTickets', inputOf(page)));
  // What is refused is refused when it is done.
  if ('errors' in found) return null;
  const { matched, told } = found.value;
  const { move, ask } = said;
  if (stage === undefined) return { title: ask.title(matched), text: ask.text, button: ask.button };
  if (!isAll && told === 0) return null;
  const stages = (await readPipelines(page)).flatMap((pipeline) => pipeline.stages);
  const target = stages.find(({ id }) => String(id) === stage);
  const title = move.title(matched, target?.name ?? '');
  const text = [
    ...(isAll ? [move.all] : []),
    ...(told > 0 ? [move.text(target?.notify_template_name ?? '', told)] : []),
  ].join(' ');
  return { title, text, button: told > 0 ? move.button : move.quiet };
}

async function changeMany(page: PageRequest): Promise<PageAnswer> {
  const done = await page.attempt(() => readOne(page, bulkOutcomeShape, 'bulkChanges.tickets', inputOf(page)));
  const { view: _view, ...query } = page.query;
  const back = page.link(ticketsPath, { ...query, view: 'list' });
  if ('errors' in done) return page.redirect(back, refusalOf(done.errors));
  const { id, changed, refused } = done.value;
  const undo = id === null ? {} : await undoOf(page, id, back);
  return page.redirect(back, { text: said.changed(changed, refused), ...undo });
}

/** Returns the way back; nothing where a contact was told. */
async function undoOf(page: PageRequest, id: number, back: string): Promise<Pick<Toast, 'undo'>> {
  const stages = (await readPipelines(page)).flatMap((pipeline) => pipeline.stages);
  const target = stages.find((stage) => String(stage.id) === page.form['stage']);
  if (target?.notify_template_name) return {};
  return undoOfMany('tickets', id, { back });
}

async function undoMany(page: PageRequest): Promise<PageAnswer> {
  const { id, back = '' } = page.form;
  const done = await page.attempt(() => readOne(page, bulkUndoShape, 'bulkChanges.undoTickets', { id }));
  const toast =
    'errors' in done ? refusalOf(done.errors) : { text: said.restored(done.value.restored, done.value.kept) };
  // On another page than the list the member stays where they are.
  if (page.isPartial && back === '') return { status: 204, html: '', headers: { 'HX-Trigger': toastEvent(toast) } };
  return page.redirect(back.startsWith(ticketsPath) ? back : ticketsPath, toast);
}

const refusalOf = (errors: Readonly<Record<string, readonly string[]>>): Toast => ({
  text: Object.values(errors).flat().join(' '),
  kind: 'bad',
});
