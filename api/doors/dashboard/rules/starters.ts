import type { WorkspaceRecord } from '../../../services/identity/workspaces/service';
import type { Option } from '../fieldViews';
import { keyed } from '../keyedRows';
import { words } from '../words';
import { emptyDraft, type Draft } from './draft';

const { starters } = words.rules;

/** A rule that is ready to take, with the macro that it runs where the team has none of this name. */
export interface Starter {
  readonly id: string;
  readonly about: string;
  readonly draft: Draft;
  readonly macro: { readonly name: string; readonly actions: readonly object[] };
}

/** What of the workspace they depend on: the answers to the question how satisfied a customer is, the best first. */
type Around = Pick<WorkspaceRecord, 'satisfaction_labels'>;

/** Returns the ready rule whose macro a form chooses, to be made with the rule. */
export function starterOf(around: Around, macro: string): Starter | undefined {
  return readyRules(around).find(({ id }) => `new:${id}` === macro);
}

/** Returns the rules that are ready to take. */
export function readyRules({ satisfaction_labels: ratingLabels }: Around): readonly Starter[] {
  const starter = (
    id: keyof typeof starters,
    draft: Partial<Draft>,
    type: string,
    params: Readonly<Record<string, unknown>>,
  ): Starter => {
    const { name, about, macro } = starters[id];
    return {
      id,
      about,
      draft: { ...emptyDraft, name, description: about, macro: `new:${id}`, ...draft },
      macro: { name: macro, actions: [{ type, params }] },
    };
  };
  const on = (what: string): Pick<Draft, 'on'> => ({ on: keyed([{ what, to: '' }]) });
  return [
    starter(
      'unanswered',
      {
        ...on('message.received'),
        conditions: keyed([{ group: 'all', field: 'waiting', op: 'is', values: ['true'] }]),
        ...{ waitKind: 'hours', amount: '10', unit: 'minutes' },
        unless: ['conversation.answered'],
      },
      'set_priority',
      { priority: 'urgent' },
    ),
    starter(
      'window',
      {
        ...on('conversation.answered'),
        ...{ waitKind: 'before', amount: '1', unit: 'hours' },
        unless: ['message.received'],
      },
      'send_message',
      { body: starters.window.text },
    ),
    starter(
      'quiet',
      {
        ...on('conversation.answered'),
        ...{ waitKind: 'clock', amount: '3', unit: 'days' },
        unless: ['message.received'],
      },
      'set_status',
      { status: 'resolved' },
    ),
    starter(
      'missedCall',
      {
        ...on('call.missed'),
        // A call opens no window: each text that cannot go out would fail, and five in a row stop the rule.
        conditions: keyed([{ group: 'all', field: 'window_open', op: 'is', values: ['true'] }]),
      },
      'send_message',
      { body: starters.missedCall.text },
    ),
    starter(
      'lowRating',
      {
        ...on('conversation.rated'),
        // Conditions ask for no rating: it goes by the text of the worst answer, which its description says.
        conditions: keyed([{ group: 'all', field: 'text', op: 'equals', values: [ratingLabels.at(-1) ?? ''] }]),
      },
      'set_status',
      { status: 'open' },
    ),
  ];
}

/** Returns the choice of a starter's macro, which is made with the rule. */
export function macroOption({ id, macro }: Starter): Option {
  return { value: `new:${id}`, label: words.rules.macroTaken(macro.name) };
}
