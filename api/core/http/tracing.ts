import { createRequire } from 'node:module';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Resource } from '@opentelemetry/resources';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Config } from '../config';

/** Names of attributes; an exporter drops every other one (`tracingSdk.ts`), so nothing of a person can get out. */
export type TraceAttribute =
  | 'http.request.method'
  | 'http.route'
  | 'http.response.status_code'
  | 'server.address'
  | 'msgdesk.workspace_id'
  | 'msgdesk.outcome';

type TraceAttributes = Partial<Record<TraceAttribute, string | number>>;

/** A span while it is open. */
interface TraceSpan {
  readonly traceId: string | null;
  set(attributes: TraceAttributes): void;
  rename(name: string): void;
  /** Marks it as failed, where nothing was thrown. */
  fail(): void;
}

/** How a span begins. */
export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'producer';
  /** A `traceparent` that is continued; null begins a trace. What is active is continued when it is absent. */
  readonly parent?: string | null;
  readonly attributes?: TraceAttributes;
}

/** What the parts that speak to Temporal need of the SDK. */
interface TracingSdk {
  readonly processor: SpanProcessor;
  readonly resource: Resource;
  readonly client: WorkflowClientInterceptor;
}

/** Traces of one process (OpenTelemetry). Where they are not configured every call passes straight through. */
export interface Tracing {
  /** The SDK; null where traces are off and none of its packages was loaded. */
  readonly sdk: TracingSdk | null;
  /** Does work inside a span that ends with it; what the work throws is its failure. */
  span<T>(name: string, options: SpanOptions, work: (span: TraceSpan) => Promise<T>): Promise<T>;
  /** Calls a function as part of a stored trace; null for none. */
  within<T>(parent: string | null, work: () => T): T;
  /** Returns the W3C `traceparent` of the active span, to be stored or sent; null when there is none. */
  current(): string | null;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

const noSpan: TraceSpan = { traceId: null, set: () => undefined, rename: () => undefined, fail: () => undefined };

/** Traces nothing. */
export const noTracing: Tracing = {
  sdk: null,
  span: (_name, _options, work) => work(noSpan),
  within: (_parent, work) => work(),
  current: () => null,
  close: () => Promise.resolve(),
};

/** Loads the SDK where traces are configured, and nothing where they are not. */
export function loadTracing(config: Config, name: 'api' | 'worker'): Tracing {
  if (!config.tracing) return noTracing;
  const { createTracing } = createRequire(__filename)('./tracingSdk') as { createTracing(name: string): Tracing };
  return createTracing(name);
}
