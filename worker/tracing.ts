import type { WorkerOptions } from '@temporalio/worker';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker';
import type { Tracing } from '../api/core/http/tracing';

/** Returns what makes a worker trace its activities, and take the spans of its workflows; loaded only when it does. */
export function tracedWorker({ processor, resource }: NonNullable<Tracing['sdk']>): Partial<WorkerOptions> {
  return {
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
    interceptors: { activity: [(ctx) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(ctx) })] },
  };
}
