import { isoTime, wire } from '../../../core/http/shapes';
import { languages } from '../../../core/text/language';
import type { WorkspaceRecord } from './service';

/** Wire properties of a workspace as its own members see it. */
export const workspaceProperties = {
  id: wire.integer(),
  name: wire.text(),
  timezone: wire.text(),
  language: { ...wire.oneOf(languages), description: 'What is spoken to members who ask for no other language.' },
  country: wire.nullable(wire.text('Whose a phone number of a file or form may be that names no country.')),
  plan: wire.nullable(wire.text()),
  trial_ends_at: wire.nullable(wire.datetime()),
  ticketing: wire.boolean(),
  require_factor: wire.boolean('Whether every member proves a second factor at sign-in.'),
  opt_out_words: wire.list(wire.text()),
  opt_in_words: wire.list(wire.text()),
  show_read: wire.boolean('Whether customers see that a member has read what they wrote.'),
  show_typing: wire.boolean('Whether customers see that a member is writing to them.'),
  ask_satisfaction: wire.boolean('Whether customers are asked how satisfied they are.'),
  satisfaction_question: wire.text(),
  satisfaction_labels: wire.list(wire.text()),
};

/** Returns the wire form of a workspace. */
export function workspaceView(row: WorkspaceRecord): Record<keyof typeof workspaceProperties, unknown> {
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    language: row.language,
    country: row.country,
    plan: row.plan,
    trial_ends_at: isoTime(row.trial_ends_at),
    ticketing: row.ticketing,
    require_factor: row.require_factor,
    opt_out_words: row.opt_out_words,
    opt_in_words: row.opt_in_words,
    show_read: row.show_read,
    show_typing: row.show_typing,
    ask_satisfaction: row.ask_satisfaction,
    satisfaction_question: row.satisfaction_question,
    satisfaction_labels: row.satisfaction_labels,
  };
}
