import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client';
import type { SpanOptions, TraceAttribute, Tracing } from './tracing';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, producer: SpanKind.PRODUCER };

/** Attributes that leave the process: ids and names of ours. */
const ours: Record<TraceAttribute, true> = {
  'http.request.method': true,
  'http.route': true,
  'http.response.status_code': true,
  'server.address': true,
  'msgdesk.workspace_id': true,
  'msgdesk.outcome': true,
};
/** Those of Temporal's interceptors: a workflow's sink adds all it knows, memo and search attributes among it. */
const engines = ['temporalWorkflowId', 'temporalActivityId', 'run_id', 'workflowId', 'runId', 'taskQueue', 'attempt'];
const allowed: ReadonlySet<string> = new Set([...Object.keys(ours), ...engines]);

/** The most that is waited for the receiver of spans when the process stops. */
const flushMs = 5_000;

/** Returns a span without what may carry words of people: other attributes, links' ones, and the texts of errors. */
function withoutTexts(span: ReadableSpan): ReadableSpan {
  const only = (attributes: ReadableSpan['attributes']): ReadableSpan['attributes'] =>
    Object.fromEntries(Object.entries(attributes).filter(([name]) => allowed.has(name)));
  const events = span.events.map(({ name, time, attributes }) => {
    const type = attributes?.['exception.type'];
    return { name, time, attributes: type === undefined ? {} : { 'exception.type': type } };
  });
  // The rest of a span, its methods among it, is inherited.
  return Object.create(span, {
    attributes: { value: only(span.attributes) },
    events: { value: events },
    links: { value: span.links.map((link) => ({ ...link, attributes: only(link.attributes ?? {}) })) },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}

/** Wraps an exporter so that no text of a person reaches it. */
function guarded(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(withoutTexts), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/**
 * Starts OpenTelemetry for this process. Address, headers, service name, resource, sampler and batches follow its
 * standard variables, which the SDK reads by itself.
 */
export function createTracing(name: 'api' | 'worker'): Tracing {
  const resource = new Resource({ 'service.name': `msgdesk-${name}` }).merge(
    detectResourcesSync({ detectors: [envDetectorSync] }),
  );
  const processor = new BatchSpanProcessor(guarded(new OTLPTraceExporter()));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const propagator = new W3CTraceContextPropagator();
  provider.register({ contextManager: new AsyncLocalStorageContextManager().enable(), propagator });
  const tracer = provider.getTracer('msgdesk');

  function contextOf(parent: string | null | undefined): Context {
    if (parent === undefined) return context.active();
    return parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  }

  return {
    sdk: { processor, resource, client: new OpenTelemetryWorkflowClientInterceptor() },
    span(spanName: string, { kind, parent, attributes }: SpanOptions, work) {
      const options = { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes: attributes ?? {} };
      return tracer.startActiveSpan(spanName, options, contextOf(parent), async (span) => {
        const fail = (): void => void span.setStatus({ code: SpanStatusCode.ERROR });
        try {
          return await work({
            traceId: span.spanContext().traceId,
            set: (values) => void span.setAttributes(values),
            rename: (other) => void span.updateName(other),
            fail,
          });
        } catch (error) {
          fail();
          span.recordException(error instanceof Error ? error : String(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
    within: (parent, work) => context.with(contextOf(parent), work),
    current() {
      const carrier: Record<string, string> = {};
      propagation.inject(context.active(), carrier);
      return carrier['traceparent'] ?? null;
    },
    async close() {
      // A receiver that is away must not hold the stop.
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise((resolve) => (timer = setTimeout(resolve, flushMs)));
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
      clearTimeout(timer);
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
