import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { upsertAccount } from './play/accounts';
import type { Context } from './context';
import { handleControl } from './play/control';
import { GraphError, errorReply } from './wire/errors';
import { playEvent } from './play/events';
import { Faults } from './play/faults';
import { handleGraph } from './wire/graph';
import { receiveInbound, type InboundResult } from './play/inbound';
import { Limits } from './wire/limits';
import { pageAsset } from './page/assets';
import { Receiver } from './receiver/receiver';
import { reset } from './play/reset';
import { Scheduler } from './play/scheduler';
import { loadSnapshot, saveSnapshot } from './snapshot';
import { State } from './state';
import type { Account, CallRecord, JsonObject, Reply, Settings } from './types';
import { Ring, seededRandom } from './util';
import { Webhooks } from './wire/webhooks';

const maxBody = 110 * 1_048_576;
const saveDelayMs = 500;
/** After a save the next one waits this many times as long as it took, so that saving takes 1/20 of the time. */
const saveSpread = 20;
const streamDelayMs = 150;
const settleMs = 10_000;

interface SandboxOptions {
  /** Milliseconds; rules (window, limits, timestamps) follow it, timers do not. */
  clock?: () => number;
  seed?: number;
  stateFile?: string;
  controlToken?: string;
}

export interface Sandbox {
  readonly state: State;
  readonly faults: Faults;
  readonly webhooks: Webhooks;
  readonly settings: Settings;
  readonly receiver: Receiver;
  /** Returns the same as the control API's calls, for tests in one process. */
  account(input: JsonObject): Account;
  inbound(input: JsonObject): InboundResult;
  event(input: JsonObject): Promise<JsonObject>;
  /** Forgets messages, customers, faults, logs and changed settings. */
  reset(): void;
  /** Runs every scheduled status now and waits until all webhooks are answered. */
  settle(): Promise<boolean>;
  listen(port?: number, host?: string): Promise<{ url: string; port: number }>;
  close(): Promise<void>;
}

/** Makes the stand-in for the messaging platform. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new SandboxServer(options);
}

class SandboxServer implements Sandbox {
  private readonly context: Context;
  private readonly limits = new Limits();
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly streams = new Set<ServerResponse>();
  private saveTimer: NodeJS.Timeout | undefined;
  private saveDelayMs = saveDelayMs;
  private streamTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SandboxOptions) {
    const clock = options.clock ?? Date.now;
    const random = seededRandom(options.seed ?? 1);
    const state = new State();
    const runId = options.seed === undefined ? randomBytes(6).toString('hex') : `seed${options.seed}`;
    this.context = {
      state,
      webhooks: new Webhooks(state, random, clock),
      scheduler: new Scheduler(),
      faults: new Faults(random, () => this.changed()),
      calls: new Ring<CallRecord>(500),
      receiver: new Receiver(clock, () => this.changed()),
      clock,
      random,
      runId,
      changed: () => this.changed(),
    };
    if (options.stateFile) loadSnapshot(this.context, options.stateFile);
    this.server = createServer((request, response) => this.receive(request, response));
    this.server.keepAliveTimeout = 60_000;
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  get state(): State {
    return this.context.state;
  }

  get faults(): Faults {
    return this.context.faults;
  }

  get webhooks(): Webhooks {
    return this.context.webhooks;
  }

  get receiver(): Receiver {
    return this.context.receiver;
  }

  get settings(): Settings {
    return this.context.state.settings;
  }

  account(input: JsonObject): Account {
    return upsertAccount(this.context, input);
  }

  inbound(input: JsonObject): InboundResult {
    return receiveInbound(this.context, this.limits, input);
  }

  event(input: JsonObject): Promise<JsonObject> {
    return playEvent(this.context, input);
  }

  reset(): void {
    reset(this.context, this.limits, true);
  }

  async settle(): Promise<boolean> {
    this.context.scheduler.flush();
    return this.context.webhooks.drained(settleMs);
  }

  listen(port = 0, host = '127.0.0.1'): Promise<{ url: string; port: number }> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        const bound = (this.server.address() as AddressInfo).port;
        resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound });
      });
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.saveTimer);
    clearTimeout(this.streamTimer);
    for (const stream of this.streams) stream.end();
    const closed = new Promise<void>((resolve) => {
      if (this.server.listening) this.server.close(() => resolve());
      else resolve();
    });
    // Hanging requests (a fault) would keep the server open for ever.
    for (const socket of this.sockets) socket.destroy();
    await closed;
    // Webhooks that were scheduled for later are queued now, so that the snapshot keeps them.
    if (this.options.stateFile) this.context.scheduler.flush();
    this.context.scheduler.close();
    await this.context.webhooks.close();
    if (this.options.stateFile) saveSnapshot(this.context, this.options.stateFile);
  }

  private changed(): void {
    const { stateFile } = this.options;
    if (stateFile && !this.saveTimer) {
      this.saveTimer = setTimeout(() => {
        this.saveTimer = undefined;
        const started = performance.now();
        saveSnapshot(this.context, stateFile);
        this.saveDelayMs = Math.max(saveDelayMs, (performance.now() - started) * saveSpread);
      }, this.saveDelayMs);
      this.saveTimer.unref();
    }
    if (this.streams.size === 0 || this.streamTimer) return;
    this.streamTimer = setTimeout(() => {
      this.streamTimer = undefined;
      for (const stream of this.streams) stream.write('data: changed\n\n');
    }, streamDelayMs);
    this.streamTimer.unref();
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const started = performance.now();
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
      else request.destroy();
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      const data = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      void this.dispatch(request, response, data, started);
    });
  }

  private async dispatch(
    request: IncomingMessage,
    response: ServerResponse,
    data: Buffer,
    started: number,
  ): Promise<void> {
    const method = request.method ?? 'GET';
    const target = request.url ?? '/';
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
    const segments = path.split('/').filter(Boolean);
    try {
      if (segments[0] === '_control' || path === '/' || segments[0] === '_page') {
        await this.own(request, response, method, segments, query, data);
        return;
      }
      if (segments[0] === 'receiver' && method === 'POST') {
        const reply = this.context.receiver.receive(path, request.headers, data);
        if (reply.delayMs) await pause(reply.delayMs);
        write(request, response, reply);
        return;
      }
      if (/^v\d+\.\d+$/.test(segments[0] ?? '')) segments.shift();
      const host = /^[\w.:[\]-]+$/.test(request.headers.host ?? '') ? request.headers.host : 'localhost';
      const origin = `http://${host}`;
      const sending = method === 'POST' && segments[1] === 'messages';
      let reply: Reply;
      try {
        const handled = handleGraph(this.context, this.limits, {
          method,
          segments,
          query,
          headers: request.headers,
          data,
          origin,
          url: origin + path,
        });
        reply = handled instanceof Promise ? await handled : handled;
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        reply = errorReply(error, sending);
      }
      this.context.calls.push({
        at: this.context.clock(),
        method,
        path,
        status: reply.status,
        outcome: reply.outcome ?? 'ok',
        code: reply.code,
        to: reply.to,
        wamid: reply.wamid,
        ms: Math.round((performance.now() - started) * 100) / 100,
      });
      const delay = (reply.delayMs ?? 0) + this.settings.latency_ms;
      if (delay > 0) await pause(delay);
      if (reply.before) await reply.before;
      write(request, response, reply);
    } catch (error) {
      process.stderr.write(`sandbox: ${method} ${path}: ${error instanceof Error ? error.stack : String(error)}\n`);
      if (!response.headersSent) write(request, response, errorReply(new GraphError(131000), true));
    }
  }

  /** Answers the control API and the page. */
  private async own(
    request: IncomingMessage,
    response: ServerResponse,
    method: string,
    segments: string[],
    query: URLSearchParams,
    data: Buffer,
  ): Promise<void> {
    const { origin, host, authorization } = request.headers;
    // DNS rebinding: a site that points its name at this machine must not reach the sandbox.
    if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host ?? '')) {
      write(request, response, { status: 403, body: { error: 'The sandbox answers to this machine only.' } });
      return;
    }
    const given =
      authorization?.replace(/^Bearer\s+/i, '') ?? request.headers['x-control-token'] ?? query.get('control_token');
    const { controlToken } = this.options;
    if (controlToken && segments[0] === '_control' && given !== controlToken) {
      write(request, response, { status: 401, body: { error: 'Control token required.' } });
      return;
    }
    // Cross-site requests: a page of another site must not use the sandbox through a person's browser.
    if (origin && method !== 'GET' && origin !== `http://${host}` && origin !== `https://${host}`) {
      write(request, response, { status: 403, body: { error: 'Foreign origin.' } });
      return;
    }
    if (segments[0] === '_control' && segments[1] === 'stream' && method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 1000\n\n');
      this.streams.add(response);
      response.on('close', () => this.streams.delete(response));
      return;
    }
    const forPeople = segments.length === 1 && method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? '');
    if (segments[0] !== '_control' || forPeople) {
      write(request, response, pageAsset(segments.join('/')));
      return;
    }
    write(
      request,
      response,
      await handleControl(this.context, this.limits, {
        method,
        segments: segments.slice(1).map(decodeURIComponent),
        query,
        headers: request.headers,
        data,
      }),
    );
  }
}

/** Waits without keeping a process alive that has nothing else to do. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function write(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (reply.wire === 'hang') return;
  if (reply.wire === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const payload = reply.raw ?? JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    'content-type': reply.contentType ?? 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(payload),
    ...reply.headers,
  });
  response.end(payload);
}
