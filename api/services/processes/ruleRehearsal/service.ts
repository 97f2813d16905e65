import { Op } from 'sequelize';
import { maxInHour } from '../../../../models/ruleParts';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { invalidField, invalidPk, throttled } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import type { Reason } from '../../../core/http/reasons';
import { dayOf } from '../../../core/zones';
import { getWorkspace } from '../../identity/workspaces/service';
import { isAboutTickets, isSend, type Action } from '../../resources/macros/actions';
import { fillText, readVariables, textOf, withoutVariables } from '../../resources/macros/params';
import { readContent } from '../../resources/messages/content';
import { resolveForRecipient } from '../../resources/messages/templates';
import { conversationsByIds } from '../../resources/conversations/service';
import type { LiveRule } from '../../resources/rules/conversationFacts';
import { rulesByIds } from '../../resources/rules/rows';
import { countryOf } from '../../resources/usage/countries';
import { estimateCost } from '../../resources/usage/service';
import { checkRule, type CheckedRule } from '../ruleSettings/checks';
import type { rehearseInput } from '../ruleSettings/schema';
import { partsOf, repeatOf } from '../ruleSettings/service';
import { activeSince, readPasts, type Past } from './history';
import { changeOf, walk, type Outcome } from './replayRule';
import { say } from '../texts';

const dayMs = 86_400_000;
/** So long a rehearsal walks. */
const patienceMs = 10_000;
/** Conversations whose history is read together. */
const together = 200;
const maxExamples = 50;
/** Of one kind of end, so that none hides the others. */
const maxOfEnd = 15;

/** One start as an example. */
interface Example {
  readonly conversationId: number;
  readonly receiver_id: string;
  readonly name: string;
  readonly started_at: Date;
  readonly moment: Date;
  readonly end: Outcome['end'];
  readonly why: string | null;
}

/** What a rule would have done. */
export interface RuleRehearsal {
  readonly from: Date;
  readonly to: Date;
  readonly would: {
    readonly start: number;
    readonly apply: number;
    readonly ended: number;
    readonly skipped: Readonly<Record<string, number>>;
    readonly failed: Readonly<Record<string, number>>;
  };
  readonly messages: number;
  readonly cost: { readonly amount: number; readonly currency: string } | null;
  readonly by_day: readonly { readonly day: string; readonly start: number; readonly apply: number }[];
  readonly examples: readonly (Omit<Example, 'conversationId'> & { readonly text: string | null })[];
  readonly not_known: readonly Reason[];
}

type Request = InputOf<typeof rehearseInput>;

/**
 * Walks through what happened in the last days, and returns what a rule would have done (contract 21). It writes
 * nothing: its transaction may only read, and is the only one of its kind in the workspace. Throws 400 and 429.
 */
export async function rehearseRule(ctx: Ctx, request: Request): Promise<RuleRehearsal> {
  const { rule, checked } = await ruleOf(ctx, request);
  const to = await dueNow(ctx.runtime);
  const from = new Date(to.getTime() - request.days * dayMs);
  const { db } = ctx.runtime;
  return db.transaction(async () => {
    // SQL: neither has a model.
    await db.rows('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const lock = await db.row<{ free: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('rule-rehearsal/' || $workspaceId::bigint, 0)) AS free`,
      { workspaceId: ctx.workspaceId },
    );
    if (lock?.free !== true) throw throttled(patienceMs / 1_000);
    return rehearse(ctx, rule, checked, { from, to });
  });
}

/** Returns the rule that is meant, as it would be saved. */
async function ruleOf(
  ctx: Ctx,
  { rule_id: id, rule: given }: Request,
): Promise<{ rule: LiveRule; checked: CheckedRule }> {
  if ((id === undefined) === (given === undefined)) throw invalidField('rule_id', 'Give either rule_id or rule.');
  const stored = id === undefined ? undefined : (await rulesByIds(ctx, [id])).get(id);
  if (id !== undefined && !stored) throw invalidPk('rule_id', id);
  const checked = await checkRule(ctx, partsOf(given ?? {}, stored));
  const rule: LiveRule = {
    ...checked.parts,
    id: stored?.id ?? 0,
    name: given?.name ?? stored?.name ?? '',
    state: 'on',
    repeat: given?.repeat ?? stored?.repeat ?? repeatOf(checked.sends),
    after_rules: given?.after_rules ?? stored?.after_rules ?? false,
    autonomy: given?.autonomy ?? stored?.autonomy ?? 'autonomous',
    runs_as_id: stored?.runs_as_id ?? ctx.actor.memberId,
    version: stored?.version ?? 1,
    active_since: null,
  };
  return { rule, checked };
}

/** Returns whether what a step changes is not carried on to what comes later. */
function isLost(action: Action): boolean {
  return (
    isAboutTickets(action.type) ||
    action.type === 'update_contact' ||
    (action.type === 'set_status' && action.params.status === 'snoozed')
  );
}

async function rehearse(
  ctx: Ctx,
  rule: LiveRule,
  { actions }: CheckedRule,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<RuleRehearsal> {
  const { timezone } = await getWorkspace(ctx);
  const sends = actions.filter(isSend);
  const sending = {
    sends: sends.length,
    sendsText: sends.some(({ type }) => type === 'send_message'),
    change: changeOf(actions),
  };
  const tally = new Tally(timezone);
  const ids = await activeSince(ctx, from);
  const until = performance.now() + patienceMs;
  let walked = 0;
  while (walked < ids.length && performance.now() < until) {
    const batch = ids.slice(walked, walked + together);
    for (const past of await readPasts(ctx, batch, from, rule.id === 0 ? null : rule.id))
      tally.add(past, walk(rule, past, to, sending));
    walked += batch.length;
  }
  const cost = await costOf(ctx, sends, tally.countries);
  return {
    from,
    to,
    would: tally.would,
    messages: tally.would.apply * sends.length,
    cost: cost.known,
    by_day: tally.byDay,
    examples: await withTexts(ctx, tally.examples, sends),
    not_known: [
      ...(walked < ids.length ? [say('walkedPart', { walked, all: ids.length })] : []),
      ...(await calendarsChanged(ctx, from)),
      ...(tally.waiting > 0 ? [say('waitsOpen', { count: tally.waiting })] : []),
      ...(tally.busiestHour > maxInHour ? [say('tooManyInHour', { count: tally.busiestHour, max: maxInHour })] : []),
      ...cost.unknown,
      ...(actions.some(isLost) ? [say('notCarriedOn')] : []),
      say('asOfToday'),
    ],
  };
}

/** Counts what would have happened. */
class Tally {
  start = 0;
  apply = 0;
  ended = 0;
  waiting = 0;
  readonly skipped: Record<string, number> = {};
  readonly failed: Record<string, number> = {};
  readonly countries = new Map<string, number>();
  private readonly days = new Map<string, { start: number; apply: number }>();
  private readonly hours = new Map<number, number>();
  private readonly shown = new Map<Outcome['end'], Example[]>();

  constructor(private readonly zone: string) {}

  add({ subject, receiverId, name, phone, bsuid }: Past, outcomes: readonly Outcome[]): void {
    for (const { startedAt, moment, end, why } of outcomes) {
      this.start += 1;
      this.dayOf(startedAt).start += 1;
      if (end === 'applied') {
        this.apply += 1;
        this.dayOf(moment).apply += 1;
        const country = countryOf({ phone, bsuid });
        this.countries.set(country, (this.countries.get(country) ?? 0) + 1);
        const hour = Math.floor(moment.getTime() / 3_600_000);
        this.hours.set(hour, (this.hours.get(hour) ?? 0) + 1);
      } else if (end === 'ended') this.ended += 1;
      else if (end === 'waiting') this.waiting += 1;
      else this[end][why ?? ''] = (this[end][why ?? ''] ?? 0) + 1;
      const shown = this.shown.get(end) ?? [];
      this.shown.set(end, shown);
      if (shown.length < maxOfEnd)
        shown.push({
          ...{ conversationId: subject.id, receiver_id: receiverId, name, end, why, moment },
          started_at: startedAt,
        });
    }
  }

  private dayOf(at: Date): { start: number; apply: number } {
    const day = dayOf(at, this.zone);
    const known = this.days.get(day) ?? { start: 0, apply: 0 };
    this.days.set(day, known);
    return known;
  }

  get would(): RuleRehearsal['would'] {
    const { start, apply, ended, skipped, failed } = this;
    return { start, apply, ended, skipped, failed };
  }

  get byDay(): RuleRehearsal['by_day'] {
    return [...this.days].map(([day, counts]) => ({ day, ...counts })).toSorted((a, b) => (a.day < b.day ? -1 : 1));
  }

  get busiestHour(): number {
    return Math.max(0, ...this.hours.values());
  }

  get examples(): Example[] {
    return [...this.shown.values()]
      .flat()
      .toSorted((a, b) => a.started_at.getTime() - b.started_at.getTime() || a.conversationId - b.conversationId)
      .slice(0, maxExamples);
  }
}

/** Returns what the messages would cost: templates by the rates of today, free texts in the window nothing. */
async function costOf(
  ctx: Ctx,
  sends: readonly Action[],
  countries: ReadonlyMap<string, number>,
): Promise<{ known: RuleRehearsal['cost']; unknown: Reason[] }> {
  const templates = sends.filter(({ type }) => type === 'send_template');
  if (templates.length === 0 || countries.size === 0) return { known: null, unknown: [] };
  const unknown = { known: null, unknown: [say('rateMissing')] };
  let total = 0;
  let currency: string | null = null;
  for (const { params } of templates) {
    const id = (params as Record<string, unknown>)['template_id'];
    const template =
      typeof id === 'string' &&
      (await of(ctx, ctx.runtime.db.models.Template).findOne({
        attributes: ['category'],
        where: { template_id: id },
        raw: true,
      }));
    if (!template) return unknown;
    const part = await estimateCost(ctx, template.category.toLowerCase(), countries);
    if (part.cost === null || part.currency === null) return unknown;
    total += part.cost;
    currency = part.currency;
  }
  return currency === null ? unknown : { known: { amount: total, currency }, unknown: [] };
}

/** Returns the examples with what their customers would have read. */
async function withTexts(
  ctx: Ctx,
  examples: readonly Example[],
  sends: readonly Action[],
): Promise<RuleRehearsal['examples']> {
  const ids =
    sends.length === 0 ? [] : examples.filter(({ end }) => end === 'applied').map((one) => one.conversationId);
  const conversations = await conversationsByIds(ctx, [...new Set(ids)]);
  return examples.map(({ conversationId, ...example }) => {
    const conversation = example.end === 'applied' ? conversations.get(conversationId) : undefined;
    const [first] = sends;
    if (!conversation || !first) return { ...example, text: null };
    const params = first.params as Record<string, unknown>;
    if (first.type === 'send_template') return { ...example, text: null };
    const content = readContent(withoutVariables(params));
    const words = content.kind === 'plain' ? textOf(content.body) : null;
    const variables = readVariables(params['template_variables']);
    const text =
      words === null
        ? null
        : fillText(words, (place) => {
            const source = variables?.body?.[place];
            return source ? resolveForRecipient(source, conversation) : '';
          });
    return { ...example, text };
  });
}

/** Says where hours of then are not known. */
async function calendarsChanged(ctx: Ctx, from: Date): Promise<Reason[]> {
  const row = await of(ctx, ctx.runtime.db.models.ActivityEvent).findOne({
    attributes: ['id'],
    where: {
      subject_type: 'workspace',
      subject_id: ctx.workspaceId,
      kind: ['calendar_created', 'calendar_updated', 'calendar_deleted'],
      created_at: { [Op.gte]: from },
    },
    raw: true,
  });
  return row ? [say('calendarsChanged')] : [];
}
