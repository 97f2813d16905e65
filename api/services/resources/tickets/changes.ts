import type { TicketRow } from '../../../../models';
import { sameMembers, sameValue } from '../../../core/db/changes';
import type { EventKind } from '../../../core/queue/eventKinds';
import type { EventInput } from '../../../core/queue/events';
import { jsonNull, storedIn, type Changes } from '../../../core/db/columnValues';
import type { ValuePatch } from '../customFields/values';
import { updateTicketInput, type TicketPatch } from './schema';
import type { Stage } from './target';

/** How the fields of a request are stored; a field that is neither a column nor named here does not compile. */
const stored = storedIn<TicketRow>()(updateTicketInput, {
  renamed: {
    receiver: 'receiver_id',
    assigned_to: 'assigned_to_id',
    assigned_inbox: 'assigned_inbox_id',
    parent_ticket: 'parent_ticket_id',
    duplicate_of: 'duplicate_of_id',
  },
  elsewhere: [
    // The stage brings its pipeline, and sets the clocks.
    'pipeline',
    'stage',
    // Other names of contacts, and lists in tables of their own.
    'receiver_id',
    'affected_contact_ids',
    'affected_receiver_ids',
    'watcher_ids',
    // Checked against the definitions, and merged.
    'custom_fields',
  ],
});

/** Columns to be written; a JSON null is a literal, because plain null would be the column's own. */
type TicketColumns = Partial<Omit<TicketRow, 'tags'>> & { readonly tags?: unknown };

/** A request whose contacts are known by id. */
type ResolvedPatch = Omit<TicketPatch, 'receiver_id' | 'affected_receiver_ids'>;

/** Returns the columns of a new ticket that its request gives. */
export function givenColumns(values: ResolvedPatch): TicketColumns {
  return withJson(stored.columnsOf(values));
}

/** Returns the columns that a request really changes, and the changes as the activity shows them. */
export function changedColumns(
  before: TicketRow,
  patch: ResolvedPatch,
  custom: ValuePatch | null,
): { readonly columns: TicketColumns; readonly changes: Changes } {
  const { columns, changes } = stored.changesOf(before, patch);
  // The same tags in another order are kept as written, and are no change to tell of.
  if (changes['tags'] && sameMembers(changes['tags'].from, changes['tags'].to)) delete changes['tags'];

  const after = custom ? merged(before.custom_fields, custom) : before.custom_fields;
  if (sameValue(after, before.custom_fields)) return { columns: withJson(columns), changes };
  return {
    columns: { ...withJson(columns), custom_fields: after },
    changes: { ...changes, custom_fields: { from: before.custom_fields, to: after } },
  };
}

function withJson(columns: Partial<TicketRow>): TicketColumns {
  return columns.tags === null ? { ...columns, tags: jsonNull } : columns;
}

function merged(before: Record<string, unknown>, custom: ValuePatch): Record<string, unknown> {
  const after = Object.entries({ ...before, ...custom.set }).filter(([name]) => !custom.remove.includes(name));
  return Object.fromEntries(after);
}

/** Returns the event of changed columns. */
export function changeEvent(id: number, changes: Changes): EventInput {
  return { subjectType: 'ticket', subjectId: id, kind: kindOf(changes), changes };
}

function kindOf(changes: Changes): EventKind<'ticket'> {
  const names = Object.keys(changes);
  if (names.every((name) => name === 'assigned_to' || name === 'assigned_inbox')) return 'assignment_changed';
  return names.length === 1 && names[0] === 'priority' ? 'priority_changed' : 'ticket_updated';
}

/** Returns the event of a move to a stage. */
export function stageEvent(before: TicketRow, stage: Stage): EventInput {
  const changes: Changes = { stage: { from: before.stage_id, to: stage.id } };
  if (before.pipeline_id !== stage.pipeline_id)
    changes['pipeline'] = { from: before.pipeline_id, to: stage.pipeline_id };
  return {
    subjectType: 'ticket',
    subjectId: before.id,
    kind: 'stage_changed',
    changes,
    data: { stage_name: stage.name, notified: stage.notify_template_pk !== null },
  };
}
