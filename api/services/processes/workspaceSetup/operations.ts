import { boolean, choice, described, input, list, nullable, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { countryField } from '../../../core/phones';
import { languages } from '../../../core/text/language';
import { wire } from '../../../core/http/shapes';
import type { Runtime } from '../../../core/runtime';
import { workspaceProperties, workspaceView } from '../../identity/workspaces/serializer';
import { choosePlan, getWorkspace, type WorkspaceRecord } from '../../identity/workspaces/service';
import { changeSettings } from './settings';

/** The workspace, as its settings show it. */
export const workspaceShape = wire.named('Workspace', {
  ...workspaceProperties,
  available_plans: wire.list(wire.text('What POST /api/v1/workspace/plan/ takes.')),
});

function settingsView(runtime: Runtime, row: WorkspaceRecord): Record<string, unknown> {
  return { ...workspaceView(row), available_plans: runtime.config.plans };
}

const words = (): ReturnType<typeof list<string>> => list(text({ max: 64, blank: false }), { max: 50 });

/** The workspace itself, for its settings pages. */
export const workspaceOperations = [
  operation({
    id: 'workspace.get',
    method: 'GET',
    path: '/api/v1/workspace/',
    tag: 'Workspace',
    summary: 'Show the workspace',
    description: 'Name, plan, settings, and the words by which customers opt out and in.',
    scope: null,
    audience: 'session',
    status: 200,
    output: workspaceShape,
    run: async (ctx) => settingsView(ctx.runtime, await getWorkspace(ctx)),
  }),
  operation({
    id: 'workspace.update',
    asksAgain: ['opt_out_words', 'require_factor'],
    method: 'PATCH',
    path: '/api/v1/workspace/',
    tag: 'Workspace',
    summary: 'Change the workspace',
    description:
      'Fields that are left out stay as they are. Other `opt_out_words` and another `require_factor` ask again who ' +
      'you are, as for a key; the latter signs out who has shown no second factor.',
    scope: 'workspace.manage',
    audience: 'session',
    body: input({
      name: text({ max: 255, blank: false }),
      timezone: described(text({ max: 64, blank: false }), 'IANA name, for example Europe/Berlin.'),
      language: described(choice(languages), 'What is spoken to members who ask for no other language.'),
      country: described(
        nullable(countryField()),
        'ISO code of the country whose a phone number of a file or form may be that has no country code; null: none.',
      ),
      opt_out_words: described(words(), 'Texts by which a customer opts out of marketing messages; at least one.'),
      opt_in_words: described(words(), 'Texts by which a customer opts in again.'),
      show_read: described(boolean(), 'true: customers see when a member has read in the dashboard what they wrote.'),
      show_typing: described(
        boolean(),
        'true: customers see “typing…” while a member writes to them in the dashboard. The platform shows what they ' +
          'wrote as read with it.',
      ),
      ask_satisfaction: described(
        boolean(),
        'true: customers are asked how satisfied they are after their conversation is resolved, once a week at most.',
      ),
      satisfaction_question: text({ max: 1024, blank: false }),
      satisfaction_labels: described(
        list(text({ max: 20, blank: false }), { min: 3, max: 3 }),
        'What three buttons below the question say, the best answer first.',
        ['Satisfied', 'Okay', 'Dissatisfied'],
      ),
      require_factor: described(
        boolean(),
        'true: each member proves a second factor at sign-in, and sets one up at the next; you need one before.',
      ),
    }),
    status: 200,
    output: workspaceShape,
    conflicts: { when: 'You have no second factor yourself.', example: 'Set up your own second factor first.' },
    examples: { request: { name: 'Green Garden', timezone: 'Europe/Berlin' } },
    run: async (ctx, { name, timezone, language, country, ...given }) => {
      const changes = {
        optOutWords: given.opt_out_words,
        optInWords: given.opt_in_words,
        showRead: given.show_read,
        showTyping: given.show_typing,
        askSatisfaction: given.ask_satisfaction,
        satisfactionQuestion: given.satisfaction_question,
        satisfactionLabels: given.satisfaction_labels,
        requireFactor: given.require_factor,
      };
      return settingsView(ctx.runtime, await changeSettings(ctx, { name, timezone, language, country, ...changes }));
    },
  }),
  operation({
    id: 'workspace.choosePlan',
    method: 'POST',
    path: '/api/v1/workspace/plan/',
    tag: 'Workspace',
    summary: 'Choose a plan',
    description: 'Ends the trial. When a trial has expired, this is the only change that is possible.',
    scope: 'billing',
    audience: 'session',
    reactivates: true,
    body: input({ plan: required(text({ max: 64, blank: false })) }),
    status: 200,
    output: workspaceShape,
    examples: { request: { plan: 'standard' } },
    run: async (ctx, { plan }) => settingsView(ctx.runtime, await choosePlan(ctx, plan)),
  }),
];
