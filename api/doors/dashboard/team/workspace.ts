import type { Config, KeptKind } from '../../../core/config';
import type { FieldErrors } from '../../../core/http/errors';
import { sentence, type RadioView } from '../fieldViews';
import { countryOptions, readLines } from '../forms';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/workspace/';
const planPath = '/dashboard/plan/';
const scope = 'workspace.manage';
const billing = 'billing';

/** What the platform sends and nothing is done with. */
interface IgnoredKind {
  readonly field: string;
  readonly count: number;
  readonly last_received_at: string;
}

interface Workspace {
  readonly name: string;
  readonly timezone: string;
  readonly country: string | null;
  readonly plan: string | null;
  readonly trial_ends_at: string | null;
  readonly opt_out_words: readonly string[];
  readonly opt_in_words: readonly string[];
  readonly require_factor: boolean;
  readonly ask_satisfaction: boolean;
  readonly satisfaction_question: string;
  readonly satisfaction_labels: readonly string[];
  readonly available_plans: readonly string[];
}

/** The workspace's settings, and its plan. */
export const workspacePages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const workspace = await page.call<Workspace>('workspace.get');
      return form(page, {
        ...workspace,
        opt_out_words: workspace.opt_out_words.join('\n'),
        opt_in_words: workspace.opt_in_words.join('\n'),
        satisfaction_labels: workspace.satisfaction_labels.join('\n'),
      });
    },
  },
  {
    method: 'POST',
    path,
    scope,
    run: async (page) => {
      const { name, timezone, country, satisfaction_question, ...given } = page.form;
      const { opt_out_words: out = '', opt_in_words: back = '', satisfaction_labels: labels = '' } = given;
      const { require_factor = 'false', ask_satisfaction = 'false' } = given;
      const saved = await page.attempt(() =>
        page.call('workspace.update', {
          ...{ name, timezone, country, require_factor, ask_satisfaction, satisfaction_question },
          opt_out_words: readLines(out),
          opt_in_words: readLines(back),
          satisfaction_labels: readLines(labels),
        }),
      );
      if ('errors' in saved) return form(page, page.form, saved.errors);
      return page.redirect(path, { text: 'The settings are saved.' });
    },
  },
  {
    method: 'GET',
    path: planPath,
    scope: billing,
    run: async (page) => plan(page, await page.call<Workspace>('workspace.get')),
  },
  {
    method: 'POST',
    path: planPath,
    scope: billing,
    run: async (page) => {
      const chosen = await page.attempt(() => page.call('workspace.choosePlan', { plan: page.form['plan'] }));
      if ('errors' in chosen) return plan(page, await page.call<Workspace>('workspace.get'), chosen.errors);
      return page.redirect(planPath, { text: 'The plan is chosen. Everything works.' });
    },
  },
]);

/** What is removed by itself after a while, in the words of the page. */
const keptWords: Readonly<Record<KeptKind, string>> = {
  messages: 'Messages, with what customers sent in them',
  activity: 'Activity of conversations, contacts and tickets',
  audit: 'Audit log',
  approvals: 'Decided approvals',
  macroRuns: 'Runs of macros',
  webhookEvents: 'Webhook events and their deliveries',
  parkedEvents: 'What the platform sent and could not be processed or is not used',
  broadcastRecipients: 'Recipients of broadcasts; the figures stay',
  stageMoves: 'Who was told of moves of tickets',
  usage: 'Usage, which names no customer',
  aliases: 'Former numbers and ids of contacts',
};

function keptFor(config: Config): readonly { readonly what: string; readonly days: number }[] {
  const days = config.retainDays;
  const names = Object.keys(keptWords) as KeptKind[];
  // Messages are kept for ever unless the operator says otherwise.
  return names.filter((name) => days[name] > 0).map((name) => ({ what: keptWords[name], days: days[name] }));
}

/** What the page says of the plan. */
interface PlanView {
  /** Empty: none is chosen. */
  readonly chosen: string;
  /** When the trial ends or ended, in the tense that fits; null: there is none. */
  readonly trial: { readonly verb: string; readonly at: Date | string } | null;
  readonly button: string;
}

function planView(page: PageRequest): PlanView {
  const { plan: chosen, trial_ends_at: end } = page.workspace;
  return {
    chosen: chosen ?? '',
    trial: end && { verb: new Date(end) <= page.now ? 'ended' : 'ends', at: end },
    button: chosen ? 'Change the plan' : 'Choose a plan',
  };
}

async function form(page: PageRequest, values: object, errors?: FieldErrors): Promise<PageAnswer> {
  return settingsPage(
    page,
    '/settings/workspace',
    {
      values,
      errors,
      plan: planView(page),
      timezones: Intl.supportedValuesOf('timeZone'),
      countries: countryOptions('None: every number has its country code'),
      kept: keptFor(page.ctx.runtime.config),
      ignored: await page.call<readonly IgnoredKind[]>('platformEvents.listIgnored'),
      path,
      planPath,
    },
    { section: 'workspace', title: 'Workspace', ...(errors ? { status: 422 } : {}) },
  );
}

function plan(page: PageRequest, workspace: Workspace, errors?: FieldErrors): PageAnswer {
  const { plan: chosen, available_plans: names } = workspace;
  const plans = names.map((name, index): RadioView => ({
    name: 'plan',
    value: name,
    label: sentence(name),
    detail: '',
    isChosen: chosen ? name === chosen : index === 0,
  }));
  return settingsPage(
    page,
    '/settings/plan',
    { chosen, plans, errors, planPath },
    { section: 'plan', title: 'Plan', ...(errors ? { status: 422 } : {}) },
  );
}
