import type { Confirmation } from '../fieldViews';
import type { PageRequest, Toast, Undo } from '../page';
import { isUntouched, readChange, undoBetween, type Values } from '../undo';
import { words } from '../words';
import { changedByForm } from './form';
import { readPipelines, moveQuestion, readTicketOf, ticketPath, type Ticket } from './read';

const { done: said } = words.tickets;

const customPrefix = 'custom_fields.';
export const changedAgain = (): Toast => ({ text: said.changedAgain, kind: 'bad' });

function valuesOf(ticket: Ticket): Values {
  const custom = Object.entries(ticket.custom_fields).map(([name, value]) => [customPrefix + name, value]);
  return Object.fromEntries([...changedByForm.map((name) => [name, ticket[name]]), ...custom]) as Values;
}

/** Asks before a ticket moves to a stage that sends its contacts a template, because a message cannot be taken back. */
export async function askToTell(page: PageRequest): Promise<Confirmation | null> {
  const { pipeline, stage: wanted } = page.form;
  const ticket = await readTicketOf(page);
  const pipelines = await readPipelines(page);
  const stage =
    pipeline === undefined || pipeline === String(ticket.pipeline)
      ? pipelines.flatMap(({ stages }) => stages).find(({ id }) => String(id) === wanted)
      : pipelines.find(({ id }) => String(id) === pipeline)?.stages[0];
  return moveQuestion(ticket, stage);
}

/** Returns the undo of a change of a ticket; undefined when either move between stages notifies a customer. */
export async function undoEdit(
  page: PageRequest,
  before: Ticket,
  after: Ticket,
  path = ticketPath(before.id),
): Promise<Undo | undefined> {
  if (!(await isSilentMove(page, before, after))) return undefined;
  return undoBetween(`${path}undo/`, valuesOf(before), valuesOf(after));
}

/** Returns whether neither the move nor the move back notifies a contact. */
export async function isSilentMove(page: PageRequest, before: Ticket, after: Ticket): Promise<boolean> {
  return before.stage === after.stage || areSilent(page, [before.stage, after.stage]);
}

async function areSilent(page: PageRequest, wanted: readonly number[]): Promise<boolean> {
  const pipelines = await readPipelines(page);
  const stages = pipelines.flatMap((pipeline) => pipeline.stages);
  return wanted.every((one) => stages.find(({ id }) => id === one)?.notify_template_name === null);
}

/** Says why a ticket is not taken back to a stage, which may notify by now; null: it may be. */
export async function refuseMoveBack(page: PageRequest, stage: unknown): Promise<Toast | null> {
  return (await areSilent(page, [Number(stage)])) ? null : { text: said.mayNotify, kind: 'bad' };
}

/** Restores the former values of a ticket; values that were changed again meanwhile stay. */
export async function undoTicket(page: PageRequest, ticket: Ticket): Promise<Toast> {
  const change = readChange(page.form['change']);
  const known = Object.entries(change.to).filter(
    ([name]) => name.startsWith(customPrefix) || (changedByForm as readonly string[]).includes(name),
  );
  const to = Object.fromEntries(known);
  if (!isUntouched(valuesOf(ticket), { to, from: change.from })) return changedAgain();
  const refusal = 'stage' in to ? await refuseMoveBack(page, to['stage']) : null;
  if (refusal) return refusal;
  const custom = known
    .filter(([name]) => name.startsWith(customPrefix))
    .map(([name, value]) => [name.slice(customPrefix.length), value] as const);
  const done = await page.attempt(() =>
    page.call('tickets.update', {
      id: ticket.id,
      ...Object.fromEntries(known.filter(([name]) => !name.startsWith(customPrefix))),
      ...(custom.length > 0 ? { custom_fields: Object.fromEntries(custom) } : {}),
    }),
  );
  return 'errors' in done
    ? { text: Object.values(done.errors).flat().join(' '), kind: 'bad' }
    : { text: said.takenBack };
}
