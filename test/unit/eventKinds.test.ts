import { eventKinds, webhookEventTypes, webhookTypeOf, type RecordedChanges } from '../../api/core/queue/eventKinds';

/** Those that the triggers of `messages` cause. */
const ofMessages = ['message.received', 'message.status_changed', 'conversation.created'];
/** Those that depend on what changed. */
const ofChanges = ['contact.opted_out', 'contact.opted_in'];

it('each type that subscribers are told is caused by something', () => {
  const told = Object.values(eventKinds).flatMap((kinds) =>
    Object.values(kinds).filter((type) => typeof type === 'string'),
  );
  expect([...new Set([...told, ...ofMessages, ...ofChanges])].sort()).toEqual([...webhookEventTypes].sort());
});

const status = (from: string, to: string): RecordedChanges => ({ conv_status: { from, to } });

it.each([
  [status('open', 'snoozed'), 'conversation.snoozed'],
  [status('snoozed', 'open'), 'conversation.woken'],
  [status('resolved', 'open'), 'conversation.reopened'],
  [status('pending', 'open'), 'conversation.updated'],
  [status('snoozed', 'resolved'), 'conversation.updated'],
])('a change of status %j is told as %s', (changes, type) => {
  expect(webhookTypeOf({ subjectType: 'conversation', kind: 'status_changed' }, changes)).toBe(type);
});

it.each([
  [{ marketing_opt_out: { from: false, to: true } }, 'contact.opted_out'],
  [{ marketing_opt_out: { from: true, to: false }, name: { from: 'A', to: 'B' } }, 'contact.opted_in'],
  [{ name: { from: 'A', to: 'B' } }, 'contact.updated'],
])('a change of a contact %j is told as %s', (changes, type) => {
  expect(webhookTypeOf({ subjectType: 'contact', kind: 'contact_updated' }, changes)).toBe(type);
});

it('what only the trail keeps is told as nothing', () => {
  expect(webhookTypeOf({ subjectType: 'workspace', kind: 'pipeline_created' })).toBeNull();
});
