import { operations } from '../../api/operations';

/**
 * Fields of a request that its answer shows in another form: one that is not listed must be shown as it was written.
 */
const shownOtherwise: Readonly<Record<string, readonly string[]>> = {
  'tickets.create': ['receiver_id', 'affected_contact_ids', 'affected_receiver_ids', 'watcher_ids'],
  'ticketPipelines.create': [],
  'ticketStages.create': [],
  'slaPolicies.create': [],
  'calendars.create': [],
  'broadcasts.create': [],
};

describe('what can be written can be read', () => {
  it.each(Object.entries(shownOtherwise))('%s', (id, exceptions) => {
    const operation = operations.find((candidate) => candidate.id === id);
    const shown = operation?.output?.['properties'] as Readonly<Record<string, unknown>>;
    const written = Object.keys(operation?.body?.fields ?? {});
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((name) => !Object.hasOwn(shown, name))).toEqual(exceptions);
  });
});
