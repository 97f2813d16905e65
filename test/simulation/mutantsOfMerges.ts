import type { Mutant } from './mutants';

const merge = 'api/services/processes/contactMerge/merge.ts';
const histories = 'api/services/resources/contacts/histories.ts';
const broadcasts = 'api/services/processes/contactMerge/broadcasts.ts';

/** Rules of two contacts that become one. */
export const mutantsOfMerges: readonly Mutant[] = [
  {
    name: 'merge leaves messages behind',
    isFound: true,
    theme: 'merges',
    rule: 'the messages of both conversations stay',
    file: merge,
    edits: [
      ['  await passHistory(ctx, gone.conversation_id, { id: kept.conversation_id, places: kept.send_seq });\n', ''],
    ],
  },
  {
    name: 'merge forgets what is left of a history',
    isFound: true,
    theme: 'histories',
    rule: 'what a merge does not move at once is moved afterwards',
    file: histories,
    edits: [['if (await passPage(ctx, from, to))', 'if ((await passPage(ctx, from, to)) && to === null)']],
  },
  {
    name: 'history ends with its second page',
    isFound: true,
    theme: 'histories',
    rule: 'a history is moved until nothing is left of it',
    file: histories,
    edits: [['return left?.any ?? false;', 'return (left?.any ?? false) && to === null;']],
  },
  {
    name: 'rest of a history goes nowhere',
    isFound: true,
    theme: 'histories',
    rule: 'a page goes to the conversation that has the history now',
    file: histories,
    edits: [
      [
        'if (!(await passPage(ctx, row.conversation_id, to)))',
        'if (!(await passPage(ctx, row.conversation_id, null)))',
      ],
    ],
  },
  {
    name: 'history in one piece',
    isFound: true,
    theme: 'histories',
    rule: 'a history is moved page by page',
    file: histories,
    edits: [['const pageRows = 1_000;', 'const pageRows = 1_000_000;']],
  },
  {
    name: 'history behind a lock on all messages',
    isFound: true,
    theme: 'histories',
    rule: 'a history is moved without a lock that others wait for',
    file: histories,
    edits: [
      [
        'if (await passPage(ctx, from, to))',
        "await db.rows('LOCK TABLE messages IN EXCLUSIVE MODE');\n" +
          '  while (await passPage(ctx, from, to));\n  if (ctx.workspaceId < 0)',
      ],
    ],
  },
  {
    name: 'sender stays behind',
    theme: 'histories',
    rule: 'a sender whose conversation was merged away goes on in the other one',
    file: 'api/services/delivery/sends.ts',
    edits: [['return merged === undefined ?', 'return merged !== -1 ?']],
  },
  {
    name: 'merge leaves places as they were',
    isFound: true,
    theme: 'merges',
    rule: 'what waits in both conversations keeps its order, the older conversation first',
    file: histories,
    edits: [['send_seq = send_seq + $places', 'send_seq = send_seq + 0 * $places']],
  },
  {
    name: 'merge counts places of one alone',
    isFound: true,
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
  {
    name: 'merge keeps both of a broadcast',
    theme: 'merges',
    rule: 'a person who was two recipients of a broadcast gets it once',
    file: broadcasts,
    edits: [['WHERE w.waits AND (o.told OR', 'WHERE w.waits AND w.position < 0 AND (o.told OR']],
  },
  {
    name: 'broadcast keeps the key of one that is gone',
    theme: 'merges',
    rule: 'a claim that began before a merge finds the message of the other contact',
    file: broadcasts,
    edits: [["AND m.dedupe_key = ${broadcastKeySql('b.id', '$gone::bigint')}\n", 'AND m.id < 0\n']],
  },
  {
    name: 'two recipients of a chunk are one',
    theme: 'merges',
    rule: 'of two recipients who are one person now, one is claimed',
    file: 'api/services/resources/broadcasts/runs/claims.ts',
    edits: [['(row.owner ?? first.get(row.found)) !== row.position', '(row.owner ?? row.position) !== row.position']],
  },
];
