import {
  Client,
  Connection,
  WorkflowFailedError,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import {
  defineSearchAttributeKey,
  NamespaceNotFoundError,
  SearchAttributeType,
  TypedSearchAttributes,
  type SearchAttributePair,
} from '@temporalio/common';
import type { Logger } from 'pino';
import { searchAttributeNames, type WorkflowInputs } from '../../../workflows/contract';
import { fairnessKeyOf, queueNames, workflowPlaces } from '../../../workflows/queues';
import type { WorkflowStart } from '../../../workflows/starts';
import type { Config } from '../config';
import type { Installation } from '../db/installation';
import { AppError } from '../http/errors';
import type { Tracing } from '../http/tracing';
import { reasonOf } from '../http/faults';
import { reason } from '../http/reasons';

/** Longest that a call to Temporal may take. Without it a start against a frozen server was seen to hang for 45 s. */
const callDeadlineMs = 2_000;
/** After an outage the connection is tried again within two seconds, not gRPC's two minutes. */
const reconnectArgs = { 'grpc.initial_reconnect_backoff_ms': 250, 'grpc.max_reconnect_backoff_ms': 2_000 };
const unlessRunning = { workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING };
/** The codes of gRPC that every call would get: CANCELLED, PERMISSION_DENIED, UNAVAILABLE, UNAUTHENTICATED. */
const connectionCodes: readonly unknown[] = [1, 7, 14, 16];
const deadlineExceeded = 4;
const resourceExhausted = 8;
const failuresUntilOpen = 3;
const openMs = 1_000;

/**
 * Temporal as services see it: every call has a deadline and stands behind a circuit breaker. Ids are those
 * of `workflows/starts.ts`; at Temporal the installation's prefix stands before them.
 */
export interface Temporal {
  /** Delivers a signal, starting the workflow when it does not run. Idempotent for state that carries a version. */
  signalWithStart<W extends keyof WorkflowInputs>(
    start: WorkflowStart<W>,
    input: WorkflowInputs[W],
    signal: string,
    argument: unknown,
  ): Promise<void>;
  /** Starts a workflow; one that runs already under this id is left alone. */
  start<W extends keyof WorkflowInputs>(start: WorkflowStart<W>, input: WorkflowInputs[W]): Promise<void>;
  /**
   * Starts a workflow unless it runs, and waits for its end, whichever that is. Returns whether it has ended within the
   * time; throws when Temporal goes away meanwhile.
   */
  run<W extends keyof WorkflowInputs>(
    start: WorkflowStart<W>,
    input: WorkflowInputs[W],
    limits: { readonly withinMs: number; readonly executionTimeoutMs: number },
  ): Promise<boolean>;
  /**
   * Returns what a workflow answers to a query, asked of a worker; null when there is no such workflow. Throws when no
   * worker answers in time, or Temporal is away.
   */
  query<T>(id: string, name: string): Promise<T | null>;
  /** Returns whether calls are let through now. */
  available(): boolean;
  /** Returns the state of Temporal according to the last call or probe. */
  state(): 'up' | 'down' | 'unknown';
  /** Asks the server; never throws. */
  probe(): Promise<'up' | 'down'>;
  /** Returns the SDK's client, for the worker's own needs (schedules) and tests. */
  client(): Client;
  close(): Promise<void>;
}

/** TLS and key options that client and worker connections share. */
export async function connectionOptions(
  config: Config,
): Promise<{ address: string; tls?: object | boolean; apiKey?: string }> {
  const { address, tls, tlsCert, tlsKey, tlsCa, tlsServerName, apiKey } = config.temporal;
  if (!tls) return { address };
  const { readFile } = await import('node:fs/promises');
  return {
    address,
    ...(apiKey ? { apiKey } : {}),
    tls: {
      ...(tlsServerName ? { serverNameOverride: tlsServerName } : {}),
      ...(tlsCa ? { serverRootCACertificate: await readFile(tlsCa) } : {}),
      ...(tlsCert && tlsKey ? { clientCertPair: { crt: await readFile(tlsCert), key: await readFile(tlsKey) } } : {}),
    },
  };
}

const attributeKeys = Object.fromEntries(
  searchAttributeNames.map((name) => [name, defineSearchAttributeKey(name, SearchAttributeType.KEYWORD)]),
);

/** Connects on first use; creating it never fails and never waits. */
export function connectTemporal(
  config: Config,
  logger: Logger,
  tracing: Tracing,
  installation: Installation,
): Temporal {
  let opened: Promise<{ connection: Connection; client: Client }> | null = null;
  let lastState: 'up' | 'down' | 'unknown' = 'unknown';
  let failures = 0;
  let openUntilMs = 0;
  let answeredMs = 0;
  let withAttributes = true;
  let current: Client | null = null;

  function open(): Promise<{ connection: Connection; client: Client }> {
    opened ??= connectionOptions(config).then((options) => {
      const connection = Connection.lazy({
        ...options,
        connectTimeout: callDeadlineMs,
        // Retries are the outbox's: the SDK's own one was seen to fire after close, and to end the process.
        interceptors: [],
        channelArgs: reconnectArgs,
      } as Parameters<typeof Connection.lazy>[0]);
      current = new Client({
        connection,
        namespace: config.temporal.namespace,
        ...(tracing.sdk ? { interceptors: { workflow: [tracing.sdk.client] } } : {}),
      });
      return { connection, client: current };
    });
    return opened;
  }

  function answered(): void {
    answeredMs = performance.now();
    failures = 0;
    if (lastState === 'down') logger.info({ event: 'temporal.up' }, 'Temporal is reachable again');
    lastState = 'up';
  }

  async function call<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const beganMs = performance.now();
    if (beganMs < openUntilMs) throw new AppError('unavailable', reason('engineAway'), { retryAfter: 5 });
    try {
      const { connection, client } = await open();
      const result = await withTimeout(connection.withDeadline(Date.now() + callDeadlineMs, () => work(client)));
      answered();
      return result;
    } catch (error) {
      const code = codeOf(error);
      const isSilent = error instanceof AppError || code === deadlineExceeded;
      if (!isSilent && !isOfAnyCall(error)) {
        // What fails before it leaves us has no code.
        if (code !== undefined) answered();
        throw error;
      }
      // A server that has answered others meanwhile is slow, not away.
      if (isSilent && answeredMs > beganMs) throw error;
      failures += 1;
      if (failures >= failuresUntilOpen) openUntilMs = performance.now() + openMs;
      if (lastState !== 'down')
        logger.warn({ event: 'temporal.down', reason: reasonOf(error) }, 'Temporal is not reachable');
      lastState = 'down';
      throw error;
    }
  }

  function startOptions(prefix: string, start: WorkflowStart, input: unknown): WorkflowStartOptions {
    const place = workflowPlaces[start.workflow];
    const pairs: SearchAttributePair[] = [];
    for (const [name, value] of Object.entries(start.attributes)) {
      const key = attributeKeys[name];
      if (key && value !== undefined) pairs.push({ key, value } as SearchAttributePair);
    }
    return {
      workflowId: `${prefix}/${start.id}`,
      taskQueue: queueNames(prefix)[place.queue],
      // A server that does not know priorities ignores them; the queues keep the kinds of work apart in any case.
      priority: {
        priorityKey: place.priority,
        ...(start.attributes.WorkspaceId
          ? { fairnessKey: fairnessKeyOf(start.attributes.WorkspaceId, start.workflow) }
          : {}),
      },
      args: [input],
      staticSummary: start.summary,
      ...(start.page === undefined ? {} : { staticDetails: `[In the dashboard](${config.baseUrl}${start.page})` }),
      ...(withAttributes && pairs.length > 0 ? { typedSearchAttributes: new TypedSearchAttributes(pairs) } : {}),
    };
  }

  /**
   * If the server does not allow the search attributes, the workflow is started without them, with one warning. The
   * code of that refusal means any wrong argument, so its text is matched.
   */
  async function startTolerant<T>(
    start: WorkflowStart,
    input: unknown,
    work: (client: Client, options: WorkflowStartOptions) => Promise<T>,
  ): Promise<T> {
    const prefix = await installation.prefix();
    try {
      return await call((client) => work(client, startOptions(prefix, start, input)));
    } catch (error) {
      if (
        !withAttributes ||
        !/search attribute/i.test(error instanceof Error ? `${error.message} ${String(error.cause)}` : '')
      )
        throw error;
      withAttributes = false;
      logger.warn(
        { event: 'temporal.search_attributes_missing' },
        'Temporal has no search attributes of ours: run `npm run migrate`; workflows start without them',
      );
      return call((client) => work(client, startOptions(prefix, start, input)));
    }
  }

  return {
    async signalWithStart(start, input, signal, argument) {
      await startTolerant(start, input, (client, options) =>
        client.workflow.signalWithStart(start.workflow, {
          ...options,
          signal,
          signalArgs: argument === undefined ? [] : [argument],
        } as Parameters<typeof client.workflow.signalWithStart>[1]),
      );
    },
    async start(start, input) {
      await startTolerant(start, input, (client, options) =>
        client.workflow.start(start.workflow, { ...options, ...unlessRunning }),
      );
    },
    async run(start, input, { withinMs, executionTimeoutMs }) {
      const [beganMs, deadline] = [performance.now(), Date.now() + withinMs];
      const leftMs = (): number => Math.max(0, beganMs + withinMs - performance.now());
      const handle = await startTolerant(start, input, (client, options) =>
        client.workflow.start(start.workflow, {
          ...options,
          ...unlessRunning,
          workflowExecutionTimeout: executionTimeoutMs,
        }),
      );
      const { connection } = await open();
      try {
        await withTimeout(
          connection.withDeadline(deadline, () => handle.result()),
          leftMs(),
        );
        return true;
      } catch (error) {
        if (error instanceof WorkflowFailedError) return true;
        if (leftMs() === 0 || codeOf(error) === deadlineExceeded) return false;
        throw error;
      }
    },
    async query<T>(id: string, name: string) {
      const workflowId = `${await installation.prefix()}/${id}`;
      const { connection, client } = await open();
      try {
        return await withTimeout(
          connection.withDeadline(Date.now() + callDeadlineMs, () =>
            client.workflow.getHandle(workflowId).query<T>(name),
          ),
          callDeadlineMs,
        );
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }
    },
    available: () => performance.now() >= openUntilMs,
    state: () => lastState,
    async probe() {
      try {
        await call((client) => client.workflowService.getSystemInfo({}));
        return 'up';
      } catch {
        return 'down';
      }
    },
    client() {
      if (!current) throw new Error('Temporal was not used yet');
      return current;
    },
    async close() {
      const pending = opened;
      opened = null;
      if (pending) await (await pending).connection.close().catch(() => undefined);
    },
  };

  /** The SDK's own deadline was seen to be late against a half-open connection: this one is not. */
  function withTimeout<T>(work: Promise<T>, limitMs = callDeadlineMs): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new AppError('unavailable', reason('engineSilent'), { retryAfter: 5 })),
        limitMs + 200,
      );
    });
    return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
  }
}

/** Returns the code of gRPC that an error has, or that its cause has. */
function codeOf(error: unknown): number | undefined {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = code ?? cause?.code;
  return typeof known === 'number' ? known : undefined;
}

const isOfAnyCall = (error: unknown): boolean =>
  error instanceof NamespaceNotFoundError || connectionCodes.includes(codeOf(error));

/**
 * Returns whether a failed call says nothing about what was asked: Temporal was not reached, did not answer in time, is
 * at its limit, or does not know us. Whatever else fails is the fault of what was asked.
 */
export function isOfConnection(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof AppError || code === deadlineExceeded || code === resourceExhausted || isOfAnyCall(error);
}
