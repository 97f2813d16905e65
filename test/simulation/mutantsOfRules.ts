import type { Mutant } from './mutants';

const apply = 'api/services/processes/ruleRuns/apply.ts';
const due = 'api/services/processes/ruleTimers/dueWaits.ts';
const judge = 'api/services/processes/ruleRuns/judge.ts';
const starts = 'api/services/resources/rules/starts.ts';
const waits = 'api/services/resources/rules/waits.ts';
const moments = 'api/services/resources/rules/moments.ts';
const settings = 'api/services/processes/ruleSettings/service.ts';
const steps = 'api/services/processes/macroRuns/steps.ts';
const sendLater = 'api/services/processes/outbound/sendLater.ts';
const scheduled = 'api/services/resources/messages/rows/scheduled.ts';

/** Rules of what happens by itself: rules that wait, and messages for later. */
export const mutantsOfRules: readonly Mutant[] = [
  {
    name: 'effect before its mark',
    isFound: true,
    theme: 'rules',
    rule: 'what a rule does and that it was applied are written together',
    file: apply,
    edits: [
      [
        "  await end(ctx, run, { state: 'applied', reason: null, macro_run_id: opened.id }, now);\n",
        '  ctx.runtime.db.afterCommit(() =>\n' +
          "    void end(ctx, run, { state: 'applied', reason: null, macro_run_id: opened.id }, now)\n" +
          '      .catch(() => null));\n',
      ],
    ],
  },
  {
    name: 'rule a minute early',
    isFound: true,
    theme: 'rules',
    rule: 'no rule acts before its wait is over',
    file: moments,
    edits: [[': later(from, wait.minutes);', ': later(from, wait.minutes - 1);']],
  },
  {
    name: 'hours are not kept',
    isFound: true,
    theme: 'rules',
    rule: 'a wait in hours goes by the calendar',
    file: moments,
    edits: [["wait.by === 'hours' && time !== null", "wait.by !== 'hours' && time !== null"]],
  },
  {
    name: 'answer ends no wait',
    isFound: true,
    theme: 'rules',
    rule: 'the first of what a rule names after `unless` ends its wait',
    file: starts,
    edits: [["return cause ? end('ended',", "return cause && wait.id < 0 ? end('ended',"]],
  },
  {
    name: 'wait begins anew with each message',
    isFound: true,
    theme: 'rules',
    rule: "a customer's second message gives nobody more time",
    file: starts,
    edits: [
      [
        "if (known && !(cause.event === 'conversation.answered' && known.event === cause.event))",
        'if (known && known.event !== cause.event)',
      ],
    ],
  },
  {
    name: 'judged without the lock',
    isFound: true,
    theme: 'moments',
    rule: 'a rule judges with its conversation locked',
    file: due,
    edits: [
      [
        'const conversation = await lockConversation(ctx, { conversationId }).catch(',
        'const conversation = await Promise.resolve({ id: conversationId }).catch(',
      ],
    ],
  },
  {
    name: 'steps from the last one on',
    isFound: true,
    theme: 'rules',
    rule: 'the steps of a macro are done in their order',
    file: steps,
    edits: [['const numbered = [...actions.entries()];', 'const numbered = [...actions.entries()].reverse();']],
  },
  {
    name: 'off ends no waits',
    isFound: true,
    theme: 'rules',
    rule: 'a rule that is switched off, or changed, ends its waits',
    file: settings,
    edits: [
      ['endsAll ? await endWaits', 'id < 0 ? await endWaits'],
      ['version: before.version + 1', 'version: before.version'],
    ],
  },
  {
    name: 'off is no other version',
    isFound: true,
    theme: 'moments',
    rule: 'what starts as its rule is switched off is not applied when it is on again',
    file: settings,
    edits: [['...(endsAll ? { version', '...(rebuilt ? { version']],
  },
  {
    name: 'paused rule acts',
    isFound: true,
    theme: 'moments',
    rule: 'nothing is applied of a rule that is paused',
    file: judge,
    edits: [["if (rule.state === 'paused') return { kind: 'later', at: null, isPaused: true };", '']],
  },
  {
    name: 'brake is not heard',
    isFound: true,
    theme: 'moments',
    rule: 'nothing is applied while the brake is on',
    file: judge,
    edits: [
      ["if (around.braked) return { kind: 'later', at: null };", ''],
      ['if (subject.stopped) return later(againMs.trial);', ''],
    ],
  },
  {
    name: 'waits sleep on',
    isFound: true,
    theme: 'halts',
    rule: 'a rule that goes on has its waits judged',
    file: settings,
    edits: [["if (starts && before.state === 'paused') await armWaits(ctx, [id]);", '']],
  },
  {
    name: 'one rule says too much',
    isFound: true,
    theme: 'moments',
    rule: 'a rule says one word in ten minutes, so that robots stop',
    file: judge,
    edits: [['heard.some((one) => one.rule_id === ruleId && isNear(one.at))', 'heard.length < 0']],
  },
  {
    name: 'all rules say too much',
    isFound: true,
    theme: 'rules',
    rule: 'all rules say five words a day',
    file: judge,
    edits: [['heard.length + sends > maxHeardInDay ||', 'heard.length + sends > 10 * maxHeardInDay ||']],
  },
  {
    name: 'once is often',
    isFound: true,
    theme: 'moments',
    rule: 'a rule that acts once was not applied before',
    file: starts,
    edits: [["return repeat === 'once' || episode", 'return episode']],
  },
  {
    name: 'rules chase each other',
    isFound: true,
    theme: 'moments',
    rule: 'none is twice in a chain of rules',
    file: starts,
    edits: [['chain.length < maxDepth && !chain.includes(id)', 'chain.length < maxDepth']],
  },
  {
    name: 'all rules follow rules',
    isFound: true,
    theme: 'rules',
    rule: 'what rules cause starts no rule that does not ask for it',
    file: starts,
    edits: [['(asks && chain.length < maxDepth', '((asks || id > 0) && chain.length < maxDepth']],
  },
  {
    name: 'laid aside without the lock',
    isFound: true,
    theme: 'pauses',
    rule: 'a verdict that changes its rule is carried out with the rule locked before its runs',
    file: due,
    edits: [["if (held === null && run.rule_id !== null && asksForRule(verdict)) return 'again';", '']],
  },
  {
    name: 'sends past the inbox',
    isFound: true,
    theme: 'moments',
    rule: 'a rule that sends waits for what its customer has written',
    file: judge,
    edits: [['if (around.unread) return later(againMs.inbox);', '']],
  },
  {
    name: 'the later start stays',
    isFound: true,
    theme: 'unions',
    rule: 'of two waits of one rule the earlier start stays when two contacts become one',
    file: waits,
    edits: [
      ["['rule_version', 'DESC'], 'started_at', 'id'],", "['rule_version', 'DESC'], ['started_at', 'DESC'], 'id'],"],
    ],
  },
  {
    name: 'goes on asleep',
    isFound: true,
    theme: 'halts',
    rule: 'a wait that is judged while its rule goes on is judged again',
    file: waits,
    edits: [
      [
        "WHERE workspace_id = $workspaceId AND state = 'waiting'\n         AND ($rule",
        "WHERE workspace_id = $workspaceId AND state = 'waiting' AND look_at IS NULL\n         AND ($rule",
      ],
    ],
  },
  {
    name: 'sent before its moment',
    isFound: true,
    theme: 'later',
    rule: 'no message for later is sent early',
    file: sendLater,
    edits: [
      [
        "if (lateMs < 0) return { kind: 'not_due', waitMs: -lateMs };",
        "if (lateMs < -3_600_000) return { kind: 'not_due', waitMs: -lateMs };",
      ],
    ],
  },
  {
    name: 'sent and kept',
    isFound: true,
    theme: 'later',
    rule: 'a message for later leaves its place as it is queued',
    file: sendLater,
    edits: [
      [
        '  await takeScheduled(ctx, row);\n  await enqueueMessage',
        "  await holdScheduled(ctx, row, 'operator');\n  await enqueueMessage",
      ],
      ['    scheduledId: row.id,\n', ''],
    ],
  },
  {
    name: 'discarded and sent',
    isFound: true,
    theme: 'later',
    rule: 'what was discarded is not sent',
    file: scheduled,
    edits: [['  await takeScheduled(ctx, row);\n  await endTimer(ctx, row);\n', '  await endTimer(ctx, row);\n']],
  },
  {
    name: 'customers are not heard',
    isFound: true,
    theme: 'later',
    rule: 'what a customer writes holds what waits',
    file: scheduled,
    edits: [
      [
        "AND state = 'scheduled' AND if_customer_writes <> 'send'",
        "AND state = 'scheduled' AND if_customer_writes = 'never'",
      ],
    ],
  },
  {
    name: 'held and sent',
    isFound: true,
    theme: 'later',
    rule: 'what is held waits for a member',
    file: sendLater,
    edits: [
      ["if (row.state === 'held') return { kind: 'ended', end: 'held' };", ''],
      [
        "if (!waiting || row.version !== version) return { kind: 'superseded' };",
        "if (!waiting) return { kind: 'superseded' };",
      ],
    ],
  },
  {
    name: 'overdue messages are left',
    isFound: true,
    theme: 'amnesia',
    rule: 'what its timer did not send is found by the look',
    file: sendLater,
    edits: [["overdueSql('send_at', clock)", "`(send_at IS NULL AND ${overdueSql('send_at', clock)})`"]],
  },
];
