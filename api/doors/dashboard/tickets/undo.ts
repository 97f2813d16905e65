import type { PageRequest, Toast, Undo } from '../page';
import { isUntouched, readChange, undoBetween, type Values } from '../undo';
import { ticketPath, type WirePipeline, type WireTicket } from './wire';

/** What an undo brings back, beside the custom fields. */
const names = [
  'title',
  'description',
  'pipeline',
  'stage',
  'type',
  'priority',
  'severity',
  'assigned_to',
  'assigned_inbox',
  'outcome',
  'parent_ticket',
  'duplicate_of',
  'due_at',
  'tags',
] as const satisfies readonly (keyof WireTicket)[];
const customPrefix = 'custom_fields.';
export const changedAgain: Toast = { text: 'It was changed again meanwhile, so it stays as it is.', kind: 'bad' };

function valuesOf(ticket: WireTicket): Values {
  const custom = Object.entries(ticket.custom_fields).map(([name, value]) => [customPrefix + name, value]);
  return Object.fromEntries([...names.map((name) => [name, ticket[name]]), ...custom]) as Values;
}

/** Returns the undo of a change of a ticket; undefined when either move between stages notifies a customer. */
export async function undoEdit(page: PageRequest, before: WireTicket, after: WireTicket): Promise<Undo | undefined> {
  if (!(await isSilentMove(page, before, after))) return undefined;
  return undoBetween(`${ticketPath(before.id)}undo/`, valuesOf(before), valuesOf(after));
}

/** Returns whether neither the move nor the move back notifies a contact. */
export async function isSilentMove(page: PageRequest, before: WireTicket, after: WireTicket): Promise<boolean> {
  return before.stage === after.stage || areSilent(page, [before.stage, after.stage]);
}

async function areSilent(page: PageRequest, wanted: readonly number[]): Promise<boolean> {
  const pipelines = await page.call<WirePipeline[]>('ticketPipelines.list');
  const stages = pipelines.flatMap((pipeline) => pipeline.stages);
  return wanted.every((one) => stages.find(({ id }) => id === one)?.notify_template_name === null);
}

/** Says why a ticket is not taken back to a stage, which may notify by now; null: it may be. */
export async function refuseMoveBack(page: PageRequest, stage: unknown): Promise<Toast | null> {
  return (await areSilent(page, [Number(stage)]))
    ? null
    : { text: 'Moving it back may notify a contact now, so it stays as it is.', kind: 'bad' };
}

/** Restores the former values of a ticket; values that were changed again meanwhile stay. */
export async function undoTicket(page: PageRequest, ticket: WireTicket): Promise<Toast> {
  const change = readChange(page.form['change']);
  const known = Object.entries(change.to).filter(
    ([name]) => name.startsWith(customPrefix) || (names as readonly string[]).includes(name),
  );
  const to = Object.fromEntries(known);
  if (!isUntouched(valuesOf(ticket), { to, from: change.from })) return changedAgain;
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
    : { text: 'Taken back.' };
}
