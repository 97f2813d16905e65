import type { WorkerOptions } from '@temporalio/worker';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker';
import type { Tracing } from '../api/core/http/tracing';

/**
 * Returns the options with which a worker traces its activities and exports the spans of its workflows. Loaded only
 * with tracing on.
 */
export function tracedWorker({ processor, resource }: NonNullable<Tracing['sdk']>): Partial<WorkerOptions> {
  return {
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
    interceptors: { activity: [(ctx) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(ctx) })] },
  };
}
