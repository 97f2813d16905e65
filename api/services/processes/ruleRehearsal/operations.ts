import { operation } from '../../../core/http/operations';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { rehearseInput } from '../ruleSettings/schema';
import { rehearseRule, type RuleRehearsal } from './service';

const ends = ['applied', 'ended', 'skipped', 'failed', 'waiting'] as const;

const example = shapeOf<RuleRehearsal['examples'][number]>('RehearsedRun').with({
  receiver_id: wire.text(),
  name: wire.text(),
  started_at: wire.datetime(),
  moment: wire.datetime(),
  end: wire.oneOf(ends),
  why: wire.nullable(wire.text('The reason, the event that ended it, or the code; null where it would act or waits.')),
  text: wire.nullable(wire.text('What the customer would have read; null where it is no text.')),
});

const rehearsal = shapeOf<RuleRehearsal>('RuleRehearsal').with({
  from: wire.datetime(),
  to: wire.datetime(),
  would: wire.named('RehearsedEnds', {
    start: wire.integer('How often it would have started.'),
    apply: wire.integer('How often its macro would have run.'),
    ended: wire.integer('How many waits something would have ended.'),
    skipped: wire.map('How many it would have skipped, by reason.'),
    failed: wire.map('How many would have failed, by code.'),
  }),
  messages: wire.integer('How many messages it would have sent.'),
  cost: wire.nullable(wire.named('RehearsedCost', { amount: wire.number(), currency: wire.text() })),
  by_day: wire.list(
    wire.named('RehearsedDay', {
      day: wire.text('YYYY-MM-DD by the clock of the workspace.'),
      start: wire.integer('How often it would have started on it.'),
      apply: wire.integer('How often its macro would have run on it.'),
    }),
  ),
  examples: from(wire.list(example.schema), (row) => row.examples.map(example.serialize) as never),
  not_known: wire.list(wire.said()),
});
export const rehearsalShape = rehearsal.schema;

/** What a rule would have done (contract 21). */
export const ruleRehearsalOperations = [
  operation({
    id: 'rules.rehearse',
    method: 'POST',
    path: '/api/v1/rules/rehearse/',
    tag: 'Rules',
    scope: 'macro.manage',
    audience: 'session',
    summary: 'Rehearse a rule over the last days',
    description:
      'What a saved rule (`rule_id`), or one that is not saved (`rule`), would have done: windows, hours, answers, ' +
      'opt-outs and earlier values are those of then, and `not_known` says what cannot be told. It writes nothing, ' +
      'ends after ten seconds, and there is one at a time in a workspace: another one is a 429.',
    body: rehearseInput,
    status: 200,
    output: rehearsalShape,
    examples: {
      request: {
        days: 7,
        rule: {
          name: 'Nobody answered',
          on: [{ event: 'message.received' }],
          wait: { minutes: 10, by: 'clock' },
          unless: [{ event: 'conversation.answered' }],
          macro_id: 2,
        },
      },
    },
    run: async (ctx, input) => rehearsal.serialize(await rehearseRule(ctx, input)),
  }),
];
