import type { Activities } from '../../../workflows/activityTypes';
import type { BroadcastChunk, BroadcastTally } from '../../../workflows/contract';
import { dueNowSql } from '../../core/clock';
import type { Ctx } from '../../core/context';
import { batchRows } from '../../core/queue/parallel';
import { roundMs } from '../../core/queue/sweep';
import { codes, limitsOfSender, type SendOutcome } from '../../core/platform/answers';
import { credentialsOf } from '../resources/accounts/service';
import { broadcastsWaitSql } from '../resources/accounts/stops';
import { callUpstream, learnPhone } from './attempts';
import { backoffMs } from './decisions';
import { applyRefusedCall } from './consequences';
import { recorderOf, type AttemptOutcome } from '../resources/messages/rows/outcomes';
import { ensureUploaded, withPlatformFileId } from '../resources/files/platform';
import { carriedFileSql, fileIdSql, type CarriedFile } from '../resources/files/rows';
import { permitsOf, takeForMass } from './permits';
import { resolveForRecipient } from '../resources/messages/templates';
import { isAuthentication } from '../resources/templates/requiredParts';
import { componentsFromVariables } from '../resources/templates/parameters';
import {
  claimRecipients,
  maxAttempts,
  readDue,
  type ClaimedMessage,
  type Due,
  type Prepared,
} from '../resources/broadcasts/runs/claims';
import { afterAnswer, callsAtOnce, noAnswers, refusesAll, type Answers } from '../resources/broadcasts/runs/answers';
import { noteAnswers } from '../resources/broadcasts/runs/run';
import { refusalOf, senderSql, type Sender } from '../resources/broadcasts/runs/senderStatus';
import { isPausedSql, pauseBroadcasts } from '../resources/broadcasts/pauses';
import { readVariables } from '../resources/broadcasts/content';

/**
 * Consecutive transient or unreadable answers after which the run pauses, so that no more recipients lose attempts to a
 * failing upstream.
 */
const troubleAfter = 12;
/** The shortest wait of a run that found no throughput; it waits up to twice as long, so that runs take turns. */
const restMs = 1_000;
/**
 * Codes that refuse the template itself: every other recipient would be refused too (upstream 1.6). What the values of
 * one recipient can cause is none of them, until the template is seen to take others (132000, 132005, 132012, 132018).
 */
const templateRefusals = new Set<number>([
  ...[codes.templateUnknown, 132007, codes.templatePaused, codes.templateDisabled, 132068],
]);
const misfilled = new Set<number>([codes.parameterCount, codes.parameterFormat]);
/** How often a run looks whether the template has changed, once the platform has refused values. */
const looksEveryMs = 1_000;

interface Run extends Sender, Answers {
  /** It waits because the platform refused everybody: one recipient decides whether it goes on. */
  readonly paused: boolean;
  readonly status: string;
  readonly template_name: string;
  readonly language: string;
  readonly number_pk: number;
  readonly number: string;
  readonly business_account_id: number;
  readonly file: CarriedFile | null;
  /** Whether the platform stops the number or account, an operator holds it, or the database may be an older copy. */
  readonly held: boolean;
}

type ChunkInput = Omit<Parameters<Activities['sendBroadcastChunk']>[0], 'workspaceId'>;

/** What the activity provides for a chunk. */
interface ChunkHooks {
  /** Returns whether the process is stopping: no new row is taken then. */
  readonly stopping: () => boolean;
  /** Called with the counts so far. */
  readonly onTally?: (tally: BroadcastTally) => void;
}

/**
 * Sends to the due recipients of a range, as fast as the number's throughput allows, for some seconds. Each row is
 * claimed in the statement before its own call, and never claimed again once that call was made (contract 9).
 */
export async function sendBroadcastChunk(ctx: Ctx, input: ChunkInput, hooks: ChunkHooks): Promise<BroadcastChunk> {
  const run = await readRun(ctx, input.broadcastId);
  const refusal =
    run === null
      ? 'The broadcast is gone.'
      : run.status !== 'running'
        ? `The broadcast is ${run.status}.`
        : await refusalOf(ctx, run);
  const chunk = new Chunk(ctx, run?.paused ? { ...input, cautious: true } : input, hooks);
  if (run === null || refusal !== null) return { ...chunk.result(), stop: refusal };
  if (run.held) return { ...chunk.result(), more: true, held: true };
  return chunk.send(run);
}

async function readRun(ctx: Ctx, broadcastId: number): Promise<Run | null> {
  return ctx.runtime.db.row<Run>(
    `SELECT b.status, t.name AS template_name, t.language,
       p.id AS number_pk, p.phone_number_id AS number, p.business_account_id,
       ${carriedFileSql(fileIdSql('b.header_media_id'), 'p.id')} AS file,
       b.refused_code, b.refused_title, b.refused_in_row, b.refused_only, b.paused_at IS NOT NULL AS paused,
       (${broadcastsWaitSql('b.phone_number_id')} OR ${isPausedSql(dueNowSql(ctx.runtime.clock))}) AS held,
       ${senderSql(dueNowSql(ctx.runtime.clock))}
     FROM broadcasts b
     JOIN workspaces w ON w.id = b.workspace_id
     LEFT JOIN templates t ON t.id = b.template_pk
     LEFT JOIN phone_numbers p ON p.id = b.phone_number_id
     WHERE b.workspace_id = $workspaceId AND b.id = $broadcastId`,
    { workspaceId: ctx.workspaceId, broadcastId },
  );
}

/** Renders each recipient's message (contract 6.6). */
function prepare(run: Run, due: readonly Due[]): Prepared[] {
  const variables = readVariables(run.template_variables);
  return due.map((recipient) => {
    const components = componentsFromVariables(
      run,
      variables,
      (source) => resolveForRecipient(source, recipient),
      run.file && { id: run.file.public_id, filename: run.file.filename },
    );
    const template = {
      name: run.template_name,
      language: { code: run.language },
      ...(components.length > 0 ? { components } : {}),
    };
    return { position: recipient.position, contact: recipient.contact, body: { type: 'template', template } };
  });
}

/** One run of a chunk: its calls until their outcomes are written, and its result. */
class Chunk {
  private readonly tally = { sent: 0, failed: 0, skipped: 0, unknown: 0 };
  private readonly failed: Record<string, number> = {};
  private readonly calls = new Set<Promise<void>>();
  private readonly record: (outcome: AttemptOutcome) => Promise<void>;
  private fault: unknown = null;
  /** Codes that refuse the number, account or template whose consequences were already applied. */
  private readonly concluded = new Set<number>();
  private troubles = 0;
  private begun = 0;
  private stop: string | null = null;
  /** Whether the platform refuses the number or account; the remaining recipients then wait. */
  private held = false;
  /** The code with which it last refused everything for the moment; absent when the answer could not be read. */
  private code: number | undefined;
  private more = false;
  /** The platform's id of the file in the header. */
  private platformId = '';
  private answers: Answers = noAnswers;
  /** When the platform refused values last and the template was not looked at since. */
  private misfilledAt = 0;
  /** Whether nothing could be sent for a moment, so that the chunk ends and frees its worker. */
  private starved = false;

  constructor(
    private readonly ctx: Ctx,
    private readonly target: ChunkInput,
    private readonly hooks: ChunkHooks,
  ) {
    this.record = recorderOf(ctx.runtime, ctx.workspaceId);
  }

  result(): BroadcastChunk {
    return {
      tally: this.tally,
      ...(this.tally.failed > 0 ? { failed: this.failed } : {}),
      more: this.more,
      troubled: this.troubled(),
      stop: this.stop,
      ...(this.held ? { held: true } : {}),
      ...(this.troubled() && this.code !== undefined ? { code: this.code } : {}),
      ...(this.starved && this.more ? { waitMs: this.rest() } : {}),
    };
  }

  async send(run: Run): Promise<BroadcastChunk> {
    const until = performance.now() + roundMs;
    this.answers = run;
    const { due, skipped } = await readDue(this.ctx, this.target);
    this.tally.skipped += skipped;
    const rest = prepare(run, due);
    const goesOn = (): boolean => rest.length > 0 && performance.now() < until && !this.halted();

    if (rest.length > 0) {
      const { accessToken } = await credentialsOf(this.ctx.runtime, run.business_account_id);
      await this.bringFile(run, accessToken);
      try {
        // When cautious: one call, after skipping recipients who get none, and its outcome before any other.
        while (this.target.cautious === true && this.begun === 0 && goesOn())
          await this.sendSome(run, accessToken, rest, 1);
        await Promise.all(this.calls);
        while (goesOn()) {
          const free = callsAtOnce(this.answers) - this.calls.size;
          if (free > 0) await this.sendSome(run, accessToken, rest, Math.min(batchRows, free));
          else await Promise.race(this.calls);
          await this.lookAgain();
        }
      } finally {
        // After a failure, too, calls that were made are waited for and their outcomes stored.
        await Promise.all(this.calls);
      }
    }

    if (this.fault !== null) throw this.fault;
    this.more = rest.length > 0 && this.stop === null;
    await this.keepAnswers(run);
    return this.result();
  }

  /** Stores what was answered: the run pauses where the platform refuses everybody, and goes on where it stops to. */
  private async keepAnswers(run: Run): Promise<void> {
    const { refused_code, refused_title } = this.answers;
    const again = run.paused && refused_code === run.refused_code;
    const isOver = run.paused && !again;
    if (refused_code !== null && (again ? this.held : refusesAll(this.answers)))
      await pauseBroadcasts(this.ctx, {
        code: refused_code,
        title: refused_title,
        broadcastId: this.target.broadcastId,
      });
    if (!isOver && Object.values(this.tally).every((count) => count === 0)) return;
    await noteAnswers(this.ctx, this.target.broadcastId, this.answers, isOver);
  }

  /** Looks from time to time whether the template is another one, after the platform has refused values of it. */
  private async lookAgain(): Promise<void> {
    if (this.misfilledAt === 0 || Date.now() - this.misfilledAt < looksEveryMs) return;
    this.misfilledAt = Date.now();
    const run = await readRun(this.ctx, this.target.broadcastId);
    if (run) this.stop ??= await refusalOf(this.ctx, run);
  }

  /** Uploads the file of the header before the first message is claimed. */
  private async bringFile(run: Run, accessToken: string): Promise<void> {
    if (run.header_media_id === null) return;
    const found = await ensureUploaded(this.ctx.runtime, run.file, {
      pk: run.number_pk,
      number: run.number,
      accessToken,
    });
    if ('id' in found) this.platformId = found.id;
    else if ('waitMs' in found || found.class === 'retry') this.starved = true;
    else if (found.class === 'stop') this.held = true;
    else this.stop = `The platform does not take the file: ${found.title} (${found.code}).`;
  }

  private rest(): number {
    return Math.round(restMs * (1 + Math.random()));
  }

  private halted(): boolean {
    return (
      this.starved || this.held || this.stop !== null || this.fault !== null || this.troubled() || this.hooks.stopping()
    );
  }

  private troubled(): boolean {
    if (this.held) return true;
    return this.troubles >= (this.target.cautious === true && this.tally.sent === 0 ? 1 : troubleAfter);
  }

  private async sendSome(run: Run, accessToken: string, rest: Prepared[], limit: number): Promise<void> {
    const { runtime, workspaceId } = this.ctx;
    const granted = await takeForMass(runtime, { workspaceId, numberPk: run.number_pk }, Math.min(limit, rest.length));
    let unused = granted;
    if (granted === 0) this.starved = true;
    try {
      if (this.halted()) return;
      const { claimed, skipped } = await claimRecipients(
        this.ctx,
        this.target.broadcastId,
        rest.splice(0, granted),
        isAuthentication(run),
      );
      this.tally.skipped += skipped;
      unused -= claimed.length;
      for (const message of claimed) this.begin(run, accessToken, message);
    } finally {
      permitsOf(runtime).giveBack('mass', workspaceId, unused);
    }
  }

  private begin(run: Run, accessToken: string, message: ClaimedMessage): void {
    this.begun += 1;
    const sent = run.file ? { ...message, body: withPlatformFileId(message.body, run.file, this.platformId) } : message;
    const call = (message.expired ? expired() : callUpstream(this.ctx.runtime, accessToken, run.number, sent, 'mass'))
      .finally(() => permitsOf(this.ctx.runtime).giveBack('mass', this.ctx.workspaceId))
      .then((outcome) => this.note(run, message, outcome))
      .finally(() => this.calls.delete(call));
    this.calls.add(call);
  }

  private async note(run: Run, message: ClaimedMessage, outcome: SendOutcome): Promise<void> {
    const trouble =
      outcome.kind === 'unknown' ||
      (outcome.kind === 'rejected' && outcome.class === 'retry' && outcome.code !== codes.pairRate);
    if (trouble) this.code = outcome.kind === 'rejected' ? outcome.code : undefined;
    this.troubles = trouble ? this.troubles + 1 : outcome.kind === 'accepted' ? 0 : this.troubles;
    this.answers = afterAnswer(this.answers, outcome);
    try {
      const judged = this.judge(run, message, outcome);
      this.hooks.onTally?.({ ...this.tally });
      await this.conclude(run, message, outcome);
      await this.record(judged);
    } catch (error) {
      // The row keeps its claim and becomes unknown: it may have been sent, and is never sent twice.
      this.fault ??= error;
    }
  }

  /** Applies the consequences of an answer beyond its message, as for every other send. */
  private async conclude(run: Run, message: ClaimedMessage, outcome: SendOutcome): Promise<void> {
    const { runtime, workspaceId } = this.ctx;
    if (outcome.kind === 'accepted') await learnPhone(runtime, workspaceId, message, outcome.waId);
    if (outcome.kind !== 'rejected') return;
    const refusal = {
      code: outcome.code,
      title: outcome.title,
      at: runtime.clock.now(),
      businessAccountId: run.business_account_id,
      messageId: message.id,
      contactId: message.contact_id,
    };
    await applyRefusedCall(runtime, workspaceId, refusal, this.concluded);
  }

  /** Decides what an outcome means for its row, and for the run. */
  private judge(run: Run, { id, attempts, expired: late }: ClaimedMessage, outcome: SendOutcome): AttemptOutcome {
    if (outcome.kind === 'accepted') {
      this.tally.sent += 1;
      return { id, attempts, kind: 'accepted', wamid: outcome.wamid, held: outcome.held === true };
    }
    if (outcome.kind === 'unknown') {
      this.tally.unknown += 1;
      return { id, attempts, kind: 'unknown' };
    }
    const { code, title, message } = outcome;
    if (outcome.class === 'stop') {
      this.held = true;
      this.code = code;
      return { id, attempts, kind: 'withdrawn' };
    }
    // The number's limit, and what is still refused after a pause, are no recipient's.
    const isNobodys = limitsOfSender.has(code) || (run.paused && code === run.refused_code);
    if (isNobodys || refusesAll(this.answers)) this.held = true;
    if (isNobodys) return { id, attempts, kind: 'withdrawn' };
    if (misfilled.has(code) && this.misfilledAt === 0) this.misfilledAt = Date.now();
    if (templateRefusals.has(code)) {
      this.stop ??= `The platform refused the template: ${title} (${code}).${message === title ? '' : ` ${message}`}`;
      return { id, attempts, kind: 'withdrawn' };
    }
    if (outcome.class === 'retry' && attempts < maxAttempts && !late)
      return { id, attempts, kind: 'retry', waitMs: outcome.retryAfterMs ?? backoffMs(code, attempts) };
    this.tally.failed += 1;
    this.failed[code] = (this.failed[code] ?? 0) + 1;
    return { id, attempts, kind: 'failed', code, title, message };
  }
}

/** Returns the outcome of an attempt whose time was over before its call. */
function expired(): Promise<SendOutcome> {
  return Promise.resolve({
    kind: 'rejected',
    class: 'permanent',
    code: -1,
    title: 'Delivery expired',
    message: 'The platform could not take the message within an hour.',
  });
}
