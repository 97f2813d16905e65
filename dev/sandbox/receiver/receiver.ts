import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { ControlError } from '../play/controlError';
import type { JsonObject, Reply } from '../types';
import { Ring, isObject, listOf, objectOf, textOf } from '../util';
import { answerOf, exampleRules, readRules, type Rule } from './rules';

/** How the receiver behaves, each with what it does. */
const receiverModes = {
  ok: 'answers 200, with the actions of the first rule that fits',
  slow: 'answers after slow_ms; Msgdesk waits for 15 s',
  unavailable: 'answers 503',
  closed: 'closes the connection without an answer',
  garbage: 'answers 200 with something that is no JSON',
  gone: 'answers 410, which deactivates the subscription',
  throttled: 'answers 429 with Retry-After: retry_after',
} as const;
type ReceiverMode = keyof typeof receiverModes;

export interface ReceiverSettings {
  /** Secrets of the subscriptions that lead here, the newest first. */
  secrets: string[];
  mode: ReceiverMode;
  slow_ms: number;
  retry_after: number;
  rules: Rule[];
}

/** One request as the page shows it. */
interface ReceivedEvent {
  seq: number;
  at: number;
  path: string;
  id: string;
  type: string;
  /** Whom or what the event is about, in words. */
  subject: string;
  sequence: number | null;
  verified: boolean;
  /** Why it is not verified; empty where it is. */
  problem: string;
  /** Which time this event is sent here. */
  attempt: number;
  /** Status of the answer; null where there was none. */
  status: number | null;
  /** Types of the actions that the answer asked for. */
  actions: string[];
  event: JsonObject;
}

const maxSecrets = 20;
const maxLogged = 200;
const maxBody = 1_048_576;

/** Receives the events that Msgdesk sends to other systems, as a system of yours would. */
export class Receiver {
  readonly log = new Ring<ReceivedEvent>(maxLogged);
  settings: ReceiverSettings = defaultReceiverSettings();
  private attempts = new Map<string, number>();
  private nextSeq = 1;

  constructor(
    private readonly clock: () => number,
    private readonly changed: () => void,
  ) {}

  /** Takes one request: checks its signature, remembers it and answers as it was told to. */
  receive(path: string, headers: IncomingHttpHeaders, data: Buffer): Reply {
    if (data.length > maxBody) return { status: 413, body: { error: 'The body is too large.' } };
    const body = data.toString('utf8');
    const { problem, secret } = this.verify(headers, body);
    const event = parsed(body);
    const id = textOf(headers['webhook-id']) ?? '';
    const { reply, actions } = this.answer(event, problem);

    this.log.push({
      seq: this.nextSeq,
      at: this.clock(),
      path,
      id,
      type: textOf(event['type']) ?? '',
      subject: subjectOf(event),
      sequence: typeof event['sequence'] === 'number' ? event['sequence'] : null,
      verified: problem === '',
      problem,
      attempt: this.countAttempt(id, secret),
      status: reply.wire ? null : reply.status,
      actions,
      event,
    });
    this.nextSeq += 1;
    this.changed();
    return reply;
  }

  /** Changes how it behaves; `secret` comes before the secrets that are known already. */
  change(input: JsonObject): void {
    const next: ReceiverSettings = { ...this.settings };
    for (const [key, value] of Object.entries(input)) {
      if (key === 'mode') next.mode = readMode(value);
      else if (key === 'slow_ms' || key === 'retry_after') next[key] = readNumber(key, value);
      else if (key === 'rules') next.rules = readRules(value);
      else if (key === 'secret') next.secrets = [readSecret(value), ...next.secrets.filter((known) => known !== value)];
      else throw new ControlError(400, `Unknown key ${key}; known are mode, slow_ms, retry_after, rules and secret.`);
    }
    this.settings = { ...next, secrets: next.secrets.slice(0, maxSecrets) };
    this.changed();
  }

  /** Forgets what arrived. */
  clear(): void {
    this.log.clear();
    this.attempts.clear();
  }

  /** Forgets what arrived, and behaves well again; secrets and rules stay. */
  reset(): void {
    this.clear();
    this.settings = { ...this.settings, mode: 'ok' };
  }

  /** Returns what the page shows, the newest event first; secrets are counted, not shown. */
  view(limit: number): JsonObject {
    const { secrets, ...rest } = this.settings;
    return { ...rest, secrets: secrets.length, modes: receiverModes, received: this.log.last(limit).reverse() };
  }

  /** Finds the secret of a request's signature, and keeps it before those in less use; or says why there is none. */
  private verify(headers: IncomingHttpHeaders, body: string): { problem: string; secret: string } {
    const { secrets } = this.settings;
    let problem = secrets.length === 0 ? 'No secret is known here.' : '';
    for (const secret of secrets) {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false });
        this.settings.secrets = [secret, ...secrets.filter((known) => known !== secret)];
        return { problem: '', secret };
      } catch (error) {
        problem ||= error instanceof Error ? error.message : String(error);
      }
    }
    return { problem, secret: '' };
  }

  private answer(event: JsonObject, problem: string): { reply: Reply; actions: string[] } {
    const bare = (reply: Reply): { reply: Reply; actions: string[] } => ({ reply, actions: [] });
    switch (this.settings.mode) {
      case 'unavailable':
        return bare({ status: 503, body: { error: 'Down for maintenance.' } });
      case 'closed':
        return bare({ status: 0, wire: 'reset' });
      case 'garbage':
        return bare({ status: 200, raw: '<html>{"actions": [', contentType: 'text/html' });
      case 'gone':
        return bare({ status: 410, body: { error: 'Gone.' } });
      case 'throttled':
        return bare({
          status: 429,
          body: { error: 'Too many requests.' },
          headers: { 'retry-after': String(this.settings.retry_after) },
        });
      case 'ok':
      case 'slow': {
        if (problem !== '') return bare({ status: 401, body: { error: problem } });
        const body = answerOf(this.settings.rules, event) ?? {};
        const actions = listOf(body['actions']).map((action) => textOf(objectOf(action)['type']) ?? '');
        return { reply: { status: 200, body, ...this.delay() }, actions };
      }
    }
  }

  private delay(): { delayMs?: number } {
    return this.settings.mode === 'slow' ? { delayMs: this.settings.slow_ms } : {};
  }

  /** Counts how often an event came from one subscription, for as many events as the log may hold. */
  private countAttempt(id: string, secret: string): number {
    if (id === '') return 1;
    const key = `${id} ${secret}`;
    const attempt = (this.attempts.get(key) ?? 0) + 1;
    this.attempts.delete(key);
    this.attempts.set(key, attempt);
    const [oldest] = this.attempts.keys();
    if (this.attempts.size > maxLogged * 5 && oldest !== undefined) this.attempts.delete(oldest);
    return attempt;
  }
}

/** Returns how a new receiver behaves. */
function defaultReceiverSettings(): ReceiverSettings {
  return { secrets: [], mode: 'ok', slow_ms: 20_000, retry_after: 5, rules: structuredClone([...exampleRules]) };
}

function parsed(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Says whom or what an event is about: a person by name, everything else by title, name or id. */
function subjectOf(event: JsonObject): string {
  const data = objectOf(event['data']);
  const person = objectOf(data['receiver'] ?? data['contact']);
  const named = textOf(person['name']) ?? textOf(data['title']) ?? textOf(data['name']);
  const id = textOf(person['receiver_id']) ?? textOf(data['receiver_id']) ?? textOf(data['id']);
  return named && id ? `${named} (${id})` : (named ?? id ?? '');
}

function readMode(value: unknown): ReceiverMode {
  const modes = Object.keys(receiverModes) as ReceiverMode[];
  const mode = modes.find((name) => name === value);
  if (!mode) throw new ControlError(400, `mode must be one of ${modes.join(', ')}.`);
  return mode;
}

function readNumber(key: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 3_600_000)
    throw new ControlError(400, `${key} must be a whole number up to 3600000.`);
  return value;
}

function readSecret(value: unknown): string {
  const secret = textOf(value) ?? '';
  try {
    new Webhook(secret);
  } catch {
    throw new ControlError(400, 'secret must be the secret of a subscription: whsec_ and base64.');
  }
  return secret;
}
