import { maxHeardInDay, restMs } from '../../../../models/ruleParts';
import { holds, isLeftAlone, type MessageFacts } from '../../resources/rules/conditions';
import { factsOf, hoursOf, type LiveRule, type RuleSubject } from '../../resources/rules/conversationFacts';
import { movedMoment } from '../../resources/rules/moments';
import { reopeningStatuses } from '../../../core/conversationStates';
import type { Action } from '../../resources/macros/actions';
import { changedAs, decide } from '../../resources/rules/starts';
import type { Item, Past, State } from './history';

/*
 * What a rule would have done to one conversation (contract 21): the same functions decide that decide at work, of
 * values as they were then.
 */

/** What one start would have come to; `waiting`: it is not over yet. */
export interface Outcome {
  readonly startedAt: Date;
  readonly moment: Date;
  readonly end: 'applied' | 'ended' | 'skipped' | 'failed' | 'waiting';
  readonly why: string | null;
}

/** What of the rule's macro bears on whether it may act. */
interface Sending {
  /** How many messages it sends. */
  readonly sends: number;
  /** It sends a free text, for which the window must be open. */
  readonly sendsText: boolean;
  /** What it changes of a conversation. */
  readonly change: (state: State) => Partial<State>;
}

/** Returns what the steps of a macro change of a conversation; a snooze is left out, whose end nothing would tell. */
export function changeOf(actions: readonly Action[]): Sending['change'] {
  return (before) =>
    actions.reduce<State>((state, { type, params }) => {
      const tags = Array.isArray(state.tags) ? (state.tags as unknown[]) : [];
      switch (type) {
        case 'set_status':
          return params.status === 'snoozed' ? state : { ...state, conv_status: params.status };
        case 'set_priority':
          return { ...state, priority: params.priority };
        case 'assign_member':
          return { ...state, assigned_member: params.assigned_member ?? null };
        case 'assign_inbox':
          return { ...state, assigned_team_inbox: params.assigned_team_inbox ?? null };
        case 'add_tags':
          return { ...state, tags: [...new Set([...tags, ...params.tags])] };
        case 'remove_tags':
          return { ...state, tags: tags.filter((tag) => !params.tags.includes(String(tag))) };
        case 'set_custom_fields':
          return { ...state, custom_fields: { ...state.custom_fields, ...params.custom_fields } };
        default:
          return state;
      }
    }, before);
}

const windowMs = 24 * 3_600_000;

interface Wait {
  readonly startedAt: Date;
  readonly event: RuleSubject['waits'][number]['event'];
  readonly moment: Date;
  readonly message: MessageFacts | null;
  readonly asleep: boolean;
}

/** Walks through the history of a conversation until a time. */
export function walk(rule: LiveRule, past: Past, to: Date, sending: Sending): Outcome[] {
  return new Walk(rule, past, sending).until(to);
}

class Walk {
  private state: State;
  private unanswered: boolean;
  private wroteAsleep = false;
  private inbound: number;
  private lastInboundAt: Date | null;
  private number: string | null;
  private appliedAt: Date | null;
  private wait: Wait | null = null;
  /** When rules sent something: this one as it would have, others as they did. */
  private readonly sent: { readonly at: Date; readonly own: boolean }[] = [];
  private readonly outcomes: Outcome[] = [];

  constructor(
    private readonly rule: LiveRule,
    private readonly past: Past,
    private readonly sending: Sending,
  ) {
    this.state = past.state;
    this.unanswered = past.waits;
    this.inbound = past.inbound;
    this.lastInboundAt = past.lastInboundAt;
    this.number = past.number;
    this.appliedAt = past.appliedAt;
  }

  until(to: Date): Outcome[] {
    for (const item of this.past.items) {
      if (item.at > to) break;
      this.judgeBefore(item.at);
      this.take(item);
    }
    this.judgeBefore(to);
    if (this.wait) this.end('waiting', null);
    return this.outcomes;
  }

  /** Judges the wait where its moment is before a time; another moment may follow from the hours as they are then. */
  private judgeBefore(at: Date): void {
    while (this.wait && !this.wait.asleep && this.wait.moment < at) {
      const { moment } = this.wait;
      this.judge(this.subjectAt(moment));
      // It was judged: what still waits has a later moment, or is asleep.
      if (this.wait && !this.wait.asleep && this.wait.moment <= moment) return;
    }
  }

  private judge(subject: RuleSubject): void {
    const { rule, wait, sending } = this;
    if (!wait) return;
    if (isLeftAlone(subject.conv_status, rule.conditions)) {
      this.wait = { ...wait, asleep: true };
      return;
    }
    const around = { time: hoursOf(subject), windowEnd: subject.active_till };
    const moment = movedMoment(rule.wait, wait.startedAt, wait.moment, around);
    if (moment > subject.now) {
      this.wait = { ...wait, moment };
      return;
    }
    const facts = factsOf(subject);
    if (!holds(rule.conditions, facts, wait.message)) return this.end('skipped', 'conditions');
    if (sending.sends > 0) {
      if (subject.opted_out) return this.end('skipped', 'opted_out');
      if (this.isTooOften(subject.now)) return this.end('skipped', 'too_often');
    }
    if (sending.sendsText && !facts.window_open) return this.end('failed', 'window_closed');
    for (let nth = 0; nth < sending.sends; nth += 1) this.sent.push({ at: subject.now, own: true });
    this.state = { ...this.state, ...sending.change(this.state) };
    this.appliedAt = subject.now;
    this.end('applied', null);
  }

  private isTooOften(now: Date): boolean {
    const within = (ms: number) => this.sent.filter(({ at }) => now.getTime() - at.getTime() < ms);
    return within(windowMs).length + this.sending.sends > maxHeardInDay || within(restMs).some(({ own }) => own);
  }

  /** Takes in what happened: first what it changed, then what that means for the rule. */
  private take(given: Item): void {
    const item = this.reopenedBy(given);
    const { set, inbound } = item;
    const wasAsleep = this.state.conv_status === 'snoozed';
    this.state = { ...this.state, ...set, custom_fields: { ...this.state.custom_fields, ...set.custom_fields } };
    if (inbound) {
      if (inbound.counts) this.inbound += 1;
      this.lastInboundAt = item.at;
      if (inbound.asks) {
        this.unanswered = true;
        this.wroteAsleep = wasAsleep;
      }
    }
    if (item.answers) this.unanswered = false;
    if (item.number) this.number = item.number;
    if (typeof item.ruleId === 'number' && item.ruleId !== this.rule.id) this.sent.push({ at: item.at, own: false });
    if (item.happened.length === 0) return;

    const subject = this.subjectAt(item.at);
    const { ended, begun, moved } = decide(subject, item.happened, item.byRule ? [-1] : []);
    const [cause] = ended;
    if (cause) this.end('ended', cause.reason);
    const [start] = begun;
    if (start) {
      const message = item.happened.find(({ message: one }) => one !== undefined)?.message ?? null;
      if (start.id !== null) this.wait = null;
      this.wait = { startedAt: start.started_at, event: start.event, moment: start.moment, message, asleep: false };
      if (start.state === 'skipped') this.end('skipped', start.reason);
    }
    const [move] = moved;
    if (move && this.wait) this.wait = { ...this.wait, moment: move.moment, asleep: false };
  }

  /** A message opens again what the rule has resolved, though it was open then. */
  private reopenedBy(item: Item): Item {
    const { conv_status: from } = this.state;
    const message = item.happened.find(({ event }) => event === 'message.received');
    if (!message || item.set.conv_status !== undefined || !reopeningStatuses.includes(from)) return item;
    const opened = changedAs(message.conversationId, message.eventId, { conv_status: { from, to: 'open' } }, message);
    return { ...item, set: { ...item.set, conv_status: 'open' }, happened: [...item.happened, ...opened] };
  }

  private end(end: Outcome['end'], why: string | null): void {
    const { wait } = this;
    if (!wait) return;
    this.outcomes.push({ startedAt: wait.startedAt, moment: wait.moment, end, why });
    this.wait = null;
  }

  /** Returns the conversation as rules would have seen it at a time. */
  private subjectAt(now: Date): RuleSubject {
    const { rule, past, state, wait } = this;
    const { marketing_opt_out: optedOut, ...values } = state;
    const isWaiting =
      this.unanswered &&
      (['open', 'pending'].includes(state.conv_status) || (state.conv_status === 'snoozed' && this.wroteAsleep));
    return {
      ...past.subject,
      ...values,
      now,
      rules: [rule],
      stopped: false,
      opted_out: optedOut,
      phone_number_id: this.number,
      waiting: isWaiting,
      inbound_count: this.inbound,
      active_till: this.lastInboundAt && new Date(this.lastInboundAt.getTime() + windowMs),
      episode_at: past.episodes.findLast((at) => at <= now) ?? null,
      applied: this.appliedAt ? { [rule.id]: this.appliedAt.toISOString() } : {},
      waits: wait
        ? [
            {
              id: 1,
              rule_id: rule.id,
              version: rule.version,
              event: wait.event,
              moment: wait.moment.toISOString(),
              started_at: wait.startedAt.toISOString(),
              asleep: wait.asleep,
              by_hand: false,
              parked: false,
            },
          ]
        : [],
    };
  }
}
