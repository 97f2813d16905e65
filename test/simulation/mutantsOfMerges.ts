import type { Mutant } from './mutants';

const merge = 'api/services/processes/contactMerge/merge.ts';

/** Rules of two contacts that become one. */
export const mutantsOfMerges: readonly Mutant[] = [
  {
    name: 'merge leaves messages behind',
    isFound: true,
    theme: 'merges',
    rule: 'the messages of both conversations stay',
    file: merge,
    edits: [["  { table: 'messages', column: 'conversation_id', to: 'conversation' },\n", '']],
  },
  {
    name: 'merge leaves places as they were',
    isFound: true,
    theme: 'merges',
    rule: 'what waits in both conversations keeps its order, the older conversation first',
    file: merge,
    edits: [
      ['UPDATE messages SET send_seq = send_seq + $after', 'UPDATE messages SET send_seq = send_seq + 0 * $after'],
    ],
  },
  {
    name: 'merge counts places of one alone',
    theme: 'merges',
    rule: 'what is accepted after a merge has its place behind all of both',
    file: merge,
    edits: [['send_seq = v.send_seq + o.send_seq,', 'send_seq = v.send_seq,']],
  },
  {
    name: 'merge ends the timer that goes on',
    theme: 'merges',
    rule: 'the snooze of the conversation that stays goes on',
    file: merge,
    edits: [
      [
        'await setSnoozeTimer(ctx, gone.conversation_id, null, gone.snooze_version + 1)',
        'await setSnoozeTimer(ctx, kept.conversation_id, null, kept.snooze_version + 1)',
      ],
    ],
  },
  {
    name: 'merge leaves a timer behind',
    theme: 'merges',
    rule: 'the snooze of the conversation that goes ends with it',
    file: merge,
    edits: [["if (gone.conv_status === 'snoozed') await", "if (gone.conv_status === '') await"]],
  },
  {
    name: 'merge forgets an id',
    isFound: true,
    theme: 'merges',
    rule: 'the ids of both contacts keep working',
    file: merge,
    edits: [["    ['id', String(gone.id)],\n", '']],
  },
];
