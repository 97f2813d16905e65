import { Agent, request } from 'undici';
import type { State } from '../state';
import { entriesOf, escapedJson, signBody, updatesOf, type Update } from './payload';
import type { Account } from '../types';
import { Ring, shuffle, type Random } from '../util';

const maxLoggedBody = 20_000;

interface Attempt {
  id: number;
  body: string;
  signature: string;
  fields: string[];
  updates: number;
  attempt: number;
}

interface Queue {
  updates: Update[];
  head: number;
  again: Attempt[];
  inFlight: number;
  waiting: Map<NodeJS.Timeout, Attempt>;
}

interface DeliveryLogEntry {
  id: number;
  at: number;
  business_account_id: string;
  url: string;
  fields: string[];
  updates: number;
  attempt: number;
  status: number | null;
  error: string | null;
  ms: number;
  gave_up: boolean;
  signature: string;
  body: string;
}

/** Signs, batches, delivers and retries; one queue per business account. */
export class Webhooks {
  readonly log = new Ring<DeliveryLogEntry>(500);
  paused = false;
  delivered = 0;
  failedPosts = 0;
  private readonly queues = new Map<string, Queue>();
  private readonly agent = new Agent({ connections: 16, keepAliveTimeout: 10_000 });
  private readonly waiters: Array<() => void> = [];
  private nextId = 1;
  private closed = false;

  constructor(
    private readonly state: State,
    private readonly random: Random,
    private readonly clock: () => number,
  ) {}

  /** Counts updates not yet answered with 200, those waiting for a retry included. */
  get pending(): number {
    let count = 0;
    for (const queue of this.queues.values()) {
      count += queue.updates.length - queue.head + queue.inFlight + queue.again.length + queue.waiting.size;
    }
    return count;
  }

  enqueue(account: Account, update: Update): void {
    if (!account.webhook_url || !account.subscribed) return;
    const { settings } = this.state;
    const isStatus = 'statuses' in update.value;
    if (isStatus && settings.drop > 0 && this.random() < settings.drop) return;
    const queue = this.queue(account.business_account_id);
    queue.updates.push(update);
    if (settings.duplicate > 0 && this.random() < settings.duplicate) queue.updates.push(update);
    // The rest of this tick's updates shall share the POST.
    setImmediate(() => this.pump(account.business_account_id));
  }

  resume(): void {
    this.paused = false;
    for (const id of this.queues.keys()) this.pump(id);
  }

  /** Forgets what is not delivered yet. */
  clear(): void {
    for (const queue of this.queues.values()) {
      for (const timer of queue.waiting.keys()) clearTimeout(timer);
      queue.waiting.clear();
      queue.updates = [];
      queue.head = 0;
      queue.again = [];
    }
    this.log.clear();
    this.settle();
  }

  /** Delivers everything that waits for a retry now. */
  retryNow(): void {
    for (const [id, queue] of this.queues) {
      for (const [timer, attempt] of queue.waiting) {
        clearTimeout(timer);
        queue.again.push(attempt);
      }
      queue.waiting.clear();
      this.pump(id);
    }
  }

  /** Resolves when nothing is left to deliver, or after the limit. */
  async drained(limitMs: number): Promise<boolean> {
    if (this.pending === 0) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      this.waiters.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** Posts bytes as they are, outside the queue; the signature may be forged on purpose. */
  async postRaw(
    account: Account,
    body: string,
    signature?: string,
  ): Promise<{ status: number | null; error: string | null }> {
    return this.post(account, body, signature ?? signBody(body, account.app_secret));
  }

  /** Makes the GET handshake that comes before a callback is accepted. */
  async handshake(
    url: string,
    verifyToken: string,
  ): Promise<{ verified: boolean; status: number | null; error: string | null }> {
    const challenge = String(1_000_000_000 + Math.floor(this.random() * 999_999_999));
    try {
      const target = new URL(url);
      target.searchParams.set('hub.mode', 'subscribe');
      target.searchParams.set('hub.challenge', challenge);
      target.searchParams.set('hub.verify_token', verifyToken);
      const timeout = this.state.settings.webhook_timeout_ms;
      const response = await request(target, { dispatcher: this.agent, headersTimeout: timeout, bodyTimeout: timeout });
      const text = await response.body.text();
      const verified = response.statusCode === 200 && text === challenge;
      const error = verified
        ? null
        : response.statusCode === 200
          ? 'The response body is not the challenge.'
          : `HTTP ${response.statusCode}`;
      return { verified, status: response.statusCode, error };
    } catch (error) {
      return { verified: false, status: null, error: String(error) };
    }
  }

  /** Returns the undelivered updates per account, for the snapshot. */
  backlog(): Record<string, Update[]> {
    const out: Record<string, Update[]> = {};
    for (const [id, queue] of this.queues) {
      const unanswered = [...queue.again, ...queue.waiting.values()].flatMap((attempt) => updatesOf(attempt.body));
      const all = [...unanswered, ...queue.updates.slice(queue.head)];
      if (all.length > 0) out[id] = all.slice(0, 20_000);
    }
    return out;
  }

  restore(backlog: Record<string, Update[]>): void {
    for (const [id, updates] of Object.entries(backlog)) {
      this.queue(id).updates.push(...updates);
      setImmediate(() => this.pump(id));
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const queue of this.queues.values()) for (const timer of queue.waiting.keys()) clearTimeout(timer);
    await this.agent.destroy();
    // Broken deliveries go back to their queue, where the snapshot finds them.
    while ([...this.queues.values()].some((queue) => queue.inFlight > 0))
      await new Promise((resolve) => setImmediate(resolve));
  }

  private pump(accountId: string): void {
    const queue = this.queue(accountId);
    const account = this.state.accounts.get(accountId);
    if (this.paused || this.closed || !account) return;
    while (queue.inFlight < Math.max(1, this.state.settings.webhook_concurrency)) {
      const attempt = queue.again.shift() ?? this.nextAttempt(account, queue);
      if (!attempt) break;
      queue.inFlight += 1;
      void this.deliver(account, queue, attempt);
    }
    this.settle();
  }

  private nextAttempt(account: Account, queue: Queue): Attempt | undefined {
    const size = Math.max(1, Math.min(1000, this.state.settings.batch));
    const taken = queue.updates.slice(queue.head, queue.head + size);
    if (taken.length === 0) return undefined;
    queue.head += taken.length;
    if (queue.head === queue.updates.length || queue.head > 10_000) {
      queue.updates = queue.updates.slice(queue.head);
      queue.head = 0;
    }
    if (this.state.settings.reorder) shuffle(taken, this.random);
    const body = escapedJson({
      object: 'whatsapp_business_account',
      entry: entriesOf(account.business_account_id, taken),
    });
    const id = this.nextId;
    this.nextId += 1;
    return {
      id,
      body,
      signature: signBody(body, account.app_secret),
      fields: [...new Set(taken.map((update) => update.field))],
      updates: taken.length,
      attempt: 1,
    };
  }

  private async deliver(account: Account, queue: Queue, attempt: Attempt): Promise<void> {
    const started = performance.now();
    const result = await this.post(account, attempt.body, attempt.signature);
    const schedule = this.state.settings.retry_schedule_ms;
    const failed = result.status !== 200;
    const delayMs = failed ? schedule[attempt.attempt - 1] : undefined;
    this.log.push({
      id: attempt.id,
      at: this.clock(),
      business_account_id: account.business_account_id,
      url: account.webhook_url,
      fields: attempt.fields,
      updates: attempt.updates,
      attempt: attempt.attempt,
      status: result.status,
      error: result.error,
      ms: Math.round(performance.now() - started),
      gave_up: failed && delayMs === undefined,
      signature: attempt.signature,
      body: attempt.body.slice(0, maxLoggedBody),
    });
    queue.inFlight -= 1;
    if (failed) {
      this.failedPosts += 1;
      if (delayMs !== undefined)
        this.retryLater(account.business_account_id, queue, { ...attempt, attempt: attempt.attempt + 1 }, delayMs);
    } else {
      this.delivered += attempt.updates;
    }
    this.pump(account.business_account_id);
  }

  private retryLater(accountId: string, queue: Queue, attempt: Attempt, delayMs: number): void {
    if (this.closed) {
      queue.again.push(attempt);
      return;
    }
    const timer = setTimeout(() => {
      queue.waiting.delete(timer);
      queue.again.push(attempt);
      this.pump(accountId);
    }, delayMs);
    queue.waiting.set(timer, attempt);
  }

  private async post(
    account: Account,
    body: string,
    signature: string,
  ): Promise<{ status: number | null; error: string | null }> {
    const timeout = this.state.settings.webhook_timeout_ms;
    try {
      const response = await request(account.webhook_url, {
        method: 'POST',
        dispatcher: this.agent,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          'x-hub-signature-256': signature,
        },
        body,
        headersTimeout: timeout,
        bodyTimeout: timeout,
      });
      await response.body.dump();
      return { status: response.statusCode, error: null };
    } catch (error) {
      return { status: null, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
    }
  }

  private settle(): void {
    if (this.pending > 0) return;
    for (const done of this.waiters.splice(0)) done();
  }

  private queue(accountId: string): Queue {
    let queue = this.queues.get(accountId);
    if (!queue) {
      queue = { updates: [], head: 0, again: [], inFlight: 0, waiting: new Map() };
      this.queues.set(accountId, queue);
    }
    return queue;
  }
}
