import { literal, Transaction } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { WorkspaceRow } from '../../../../models';
import type { RuleBrake } from '../../../../models/ruleParts';
import type { Ctx, WorkspaceCtx } from '../../../core/context';
import { invalid, invalidField, notFound } from '../../../core/http/errors';
import { Fault, parseWith } from '../../../core/http/fields';
import { bareWords, isBlank } from '../../../core/http/visible';
import { countryField } from '../../../core/phones';
import type { Language } from '../../../core/text/language';
import type { Runtime } from '../../../core/runtime';
import { reason } from '../reasons';

/** Days that a workspace may be tried when neither a plan nor an end is given. */
const trialDays = 14;
const dayMs = 86_400_000;

/** A workspace as it is stored. */
export type WorkspaceRecord = Readonly<WorkspaceRow>;

export interface WorkspaceInput {
  readonly name: string;
  readonly timezone?: string;
  readonly language?: Language;
  readonly country?: string | null;
  readonly plan?: string;
  readonly trialEndsAt?: Date;
  readonly ticketing?: boolean;
}

/** What is left out stays as it is. */
export interface WorkspaceChanges {
  readonly name?: string;
  readonly timezone?: string;
  /** What is spoken to members who ask for no other language. */
  readonly language?: Language;
  readonly country?: string | null;
  /** Null: no plan, so the trial decides. */
  readonly plan?: string | null;
  readonly trialEndsAt?: Date;
  readonly ticketing?: boolean;
  /** Replaces all of them: the texts by which a customer opts out of marketing messages. */
  readonly optOutWords?: readonly string[];
  readonly optInWords?: readonly string[];
  /** Customers are asked after a conversation is resolved, by three buttons, the best answer first. */
  readonly askSatisfaction?: boolean;
  readonly satisfactionQuestion?: string;
  readonly satisfactionLabels?: readonly string[];
  /** Customers see that a member has read what they wrote, and that one is writing to them. */
  readonly showRead?: boolean;
  readonly showTyping?: boolean;
  /** Every member proves a second factor at sign-in. */
  readonly requireFactor?: boolean;
}

const maxWords = 50;
const maxWordLength = 64;
/**
 * Stores a tenant; without a plan and an end it is tried for 14 days. Its default pipeline is made by
 * `createWorkspace`.
 */
export async function insertWorkspace(runtime: Runtime, input: WorkspaceInput): Promise<WorkspaceRecord> {
  checkText('name', input.name, 255);
  if (input.plan !== undefined) checkText('plan', input.plan, 64);
  if (input.timezone !== undefined) checkTimezone(input.timezone);
  const country = checkCountry(input.country);
  const trialEndsAt =
    input.trialEndsAt ??
    (input.plan === undefined ? new Date(runtime.clock.now().getTime() + trialDays * dayMs) : null);

  const row = await runtime.db.models.Workspace.create({
    name: input.name.trim(),
    timezone: input.timezone ?? 'UTC',
    language: input.language ?? 'en',
    country: country ?? null,
    plan: input.plan ?? null,
    trial_ends_at: trialEndsAt,
    ticketing: input.ticketing ?? false,
  });
  return row.get({ plain: true });
}

/** Changes what is given and leaves the rest. */
export async function updateWorkspace(ctx: Ctx, changes: WorkspaceChanges): Promise<WorkspaceRecord> {
  if (changes.name !== undefined) checkText('name', changes.name, 255);
  if (typeof changes.plan === 'string') checkText('plan', changes.plan, 64);
  if (changes.timezone !== undefined) checkTimezone(changes.timezone);
  const country = checkCountry(changes.country);

  const labels = changes.satisfactionLabels;
  // The platform refuses a message with two buttons of one title.
  if (labels && new Set(labels).size < labels.length) throw invalidField('satisfaction_labels', reason('labelsEqual'));

  const optOutWords = changes.optOutWords && checkWords('opt_out_words', changes.optOutWords);
  const optInWords = changes.optInWords && checkWords('opt_in_words', changes.optInWords);
  if (optOutWords || optInWords) {
    const stored = await getWorkspace(ctx);
    refuseCommonWords(optOutWords ?? stored.opt_out_words, optInWords ?? stored.opt_in_words);
  }

  await ctx.runtime.db.models.Workspace.update(
    {
      name: changes.name?.trim(),
      timezone: changes.timezone,
      language: changes.language,
      country,
      plan: changes.plan,
      trial_ends_at: changes.trialEndsAt,
      ticketing: changes.ticketing,
      require_factor: changes.requireFactor,
      opt_out_words: optOutWords,
      opt_in_words: optInWords,
      show_read: changes.showRead,
      show_typing: changes.showTyping,
      ask_satisfaction: changes.askSatisfaction,
      satisfaction_question: changes.satisfactionQuestion,
      satisfaction_labels: labels && [...labels],
      updated_at: literal('now()'),
    },
    { where: { id: ctx.workspaceId } },
  );
  return getWorkspace(ctx);
}

/** Stops all rules of the workspace, or lets them go on. */
export async function setRuleBrake(ctx: WorkspaceCtx, brake: RuleBrake | null): Promise<void> {
  await ctx.runtime.db.models.Workspace.update(
    { rule_brake: brake, updated_at: literal('now()') },
    { where: { id: ctx.workspaceId } },
  );
}

/** Puts the workspace on one of the plans that this installation offers, which ends an expired trial. */
export async function choosePlan(ctx: Ctx, plan: string): Promise<WorkspaceRecord> {
  const { plans } = ctx.runtime.config;
  if (!plans.includes(plan))
    throw invalidField('plan', reason('noPlan', { plan: cut(plan, 100), plans: plans.join(', ') }));
  return updateWorkspace(ctx, { plan });
}

/** Returns every workspace of the installation: for the provisioning CLI. */
export async function listWorkspacesAnywhere(runtime: Runtime): Promise<WorkspaceRecord[]> {
  return runtime.db.models.Workspace.findAll({ order: ['id'], raw: true });
}

/** Returns the workspace of the context. Throws 404. */
export async function getWorkspace(ctx: WorkspaceCtx): Promise<WorkspaceRecord> {
  const row = await ctx.runtime.db.models.Workspace.findByPk(ctx.workspaceId, { raw: true });
  if (!row) throw notFound(`Workspace ${ctx.workspaceId} does not exist.`);
  return row;
}

/**
 * Locks the workspace's row in the surrounding transaction, so that two changes of a list with a limit or an order take
 * turns; nothing that refers to the workspace is kept waiting by it.
 */
export async function lockWorkspace(ctx: WorkspaceCtx): Promise<void> {
  await ctx.runtime.db.models.Workspace.findByPk(ctx.workspaceId, {
    attributes: ['id'],
    lock: Transaction.LOCK.NO_KEY_UPDATE,
    raw: true,
  });
}

/**
 * Has those who count something of the workspace before they add to it follow each other, until their transactions end.
 * Beside the order in which rows are locked: who counts holds a conversation, and may have ended waits of its rules.
 */
export async function countAlone({ runtime, workspaceId }: WorkspaceCtx, what: string): Promise<void> {
  // SQL: no model.
  await runtime.db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 5)) IS NULL AS locked', {
    key: `${what}/${workspaceId}`,
  });
}

/** Returns the words as they are compared: trimmed, in capitals, each once. */
function checkWords(field: string, words: readonly string[]): string[] {
  // Of two that mean the same the last counts.
  const checked = [...new Map(words.map((word) => [bareWords(word), word.trim().toUpperCase()])).values()];
  if (checked.some(isBlank)) throw invalidField(field, reason('blank'));
  if (checked.some((word) => [...word].length > maxWordLength))
    throw invalidField(field, reason('wordsTooLong', { max: maxWordLength }));
  if (checked.length > maxWords) throw invalidField(field, reason('tooMany', { max: maxWords }));
  // Customers must always be able to say no.
  if (field === 'opt_out_words' && checked.length === 0) throw invalidField(field, reason('emptyList'));
  return checked;
}

function refuseCommonWords(optOut: readonly string[], optIn: readonly string[]): void {
  const back = new Set(optIn.map(bareWords));
  const common = optOut.find((word) => back.has(bareWords(word)));
  if (common !== undefined) throw invalidField('opt_in_words', reason('wordInBoth', { word: common }));
}

function checkText(field: string, value: string, max: number): void {
  if (value.trim() === '') throw invalidField(field, reason('blank'));
  if ([...value].length > max) throw invalidField(field, reason('tooLong', { max }));
}

/** Returns the code of a country in capitals; null takes it away. */
function checkCountry(value: string | null | undefined): string | null | undefined {
  if (value === undefined || value === null) return value;
  const code = parseWith(countryField(), value);
  if (code instanceof Fault) throw invalid({ country: code.reasons });
  return code;
}

/**
 * Refuses what is no named zone. Dates in templates are rendered in it: an offset would be wrong for half of the year.
 */
function checkTimezone(value: string): void {
  let known = value.length <= 64 && !/^[+-]/.test(value);
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
  } catch {
    known = false;
  }
  if (!known) throw invalidField('timezone', reason('noZone', { zone: cut(value, 100) }));
}
