import { flowStatuses } from '../../../../models/enums';
import type { FlowRow } from '../../../../models';
import { isPlainObject } from '../../../core/http/fields';
import { isoTime, wire, type Wire } from '../../../core/http/shapes';
import { granularities, metricNames, type FlowMetrics } from './metrics';
import type { SubmissionView } from './submissions';

const told = <T>(schema: Wire<T>, description: string): Wire<T> => ({ ...schema, description });

/** An alert of the upstream about a flow. */
const alertShape = wire.named('FlowAlert', {
  event: wire.text('Kind of the alert, for example `ENDPOINT_ERROR_RATE`, `ENDPOINT_LATENCY` or `CLIENT_ERROR_RATE`.'),
  alert_state: wire.text('`ACTIVATED` or `DEACTIVATED`; empty where the alert has no state.'),
  message: wire.text('What happened, in the words of the platform.'),
  at: told(wire.datetime(), 'When the platform reported it.'),
  details: wire.map('Figures of the alert as the platform gives them, for example `threshold` or `p90_latency`.'),
});

/** A flow. */
export const flowShape = wire.named('Flow', {
  id: wire.integer('Id of the stored copy.'),
  flow_id: wire.text("The platform's id of the flow, which paths and messages take."),
  name: told({ ...wire.text(), maxLength: 255 }, 'Name of the flow.'),
  status: told(
    wire.oneOf(flowStatuses),
    'DRAFT until it is published; THROTTLED and BLOCKED while its endpoint does badly; DEPRECATED for good.',
  ),
  validation_errors: wire.any('Errors that the platform finds in the definition, as it gives them.'),
  json_version: wire.text('Version of the flow definition language.'),
  data_api_version: wire.text('Version of the data exchange; empty without an endpoint.'),
  is_data_exchange: wire.text('`true` when the flow asks an endpoint while it runs, else `false`.'),
  preview_url: told({ ...wire.text(), maxLength: 512 }, 'Page that shows the flow; empty when there is none.'),
  preview_expires_at: told(wire.nullable(wire.datetime()), 'Until when the preview works.'),
  created_at: told(wire.datetime(), 'When the flow was first stored here.'),
  updated_at: told(wire.datetime(), 'When the stored copy last changed.'),
  categories: wire.any('Categories of the flow, for example `["SURVEY"]`.'),
  data_channel_uri: told({ ...wire.text(), maxLength: 2048 }, 'Address of the endpoint; empty without one.'),
  customer_endpoint_uri: told({ ...wire.text(), maxLength: 2048 }, 'The same address under its newer name.'),
  flow_json: wire.any('Definition of the flow; null when it could not be read.'),
  alerts: told(wire.list(alertShape), 'The newest alert of each kind.'),
  synced_at: told(wire.datetime(), 'When the platform was last read successfully.'),
});

/** Returns the wire form of a flow. */
export function flowItem(row: FlowRow): Record<string, unknown> {
  return {
    id: row.id,
    flow_id: row.flow_id,
    name: row.name,
    status: row.status,
    validation_errors: row.validation_errors,
    json_version: row.json_version,
    data_api_version: row.data_api_version,
    is_data_exchange: String(row.endpoint_uri !== '' || row.data_api_version !== ''),
    preview_url: row.preview_url,
    preview_expires_at: isoTime(row.preview_expires_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    categories: row.categories,
    data_channel_uri: row.endpoint_uri,
    customer_endpoint_uri: row.endpoint_uri,
    flow_json: row.flow_json,
    alerts: Object.entries(row.alerts)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([event, alert]) => alertItem(event, alert)),
    synced_at: isoTime(row.synced_at),
  };
}

function alertItem(event: string, raw: unknown): Record<string, unknown> {
  const { alert_state, message, at, details } = isPlainObject(raw) ? raw : {};
  return { event, alert_state, message, at, details };
}

/** What a customer answered in a flow. */
export const submissionShape = wire.named('FlowSubmission', {
  id: wire.integer('Id of the submission.'),
  flow_id: wire.text('The flow that was answered.'),
  receiver_id: wire.text('The contact who answered.'),
  message_id: wire.text('`message_id` of the inbound message that brought it.'),
  response: wire.map(
    'The answers by their keys, typed by the flow’s fields where they can be; `{"raw": "…"}` when they are ' +
      'unreadable.',
  ),
  submitted_at: told(wire.datetime(), 'When the customer submitted it.'),
});

/** Returns the wire form of a submission. */
export function submissionItem(row: SubmissionView): Record<string, unknown> {
  return {
    id: row.id,
    flow_id: row.flow_id,
    receiver_id: row.receiver_id,
    message_id: row.wamid,
    response: row.response,
    submitted_at: isoTime(row.submitted_at),
  };
}

/** Figures of a flow's endpoint. */
export const metricsShape = wire.named('FlowMetrics', {
  flow_id: wire.text('The flow.'),
  granularity: told(wire.oneOf(granularities), 'Time that one figure covers.'),
  from: told(wire.nullable(wire.datetime()), 'Start of the span; null for `lifetime`.'),
  to: told(wire.nullable(wire.datetime()), 'End of the span; null for `lifetime`.'),
  metrics: told(
    wire.list(
      wire.named('FlowMetric', {
        name: told(wire.oneOf(metricNames), 'What is measured.'),
        points: told(
          wire.list(
            wire.named('FlowMetricPoint', {
              timestamp: told(wire.datetime(), 'First instant of the point.'),
              values: {
                ...wire.map<number>('Figures by their kind: `value`, or the kind of error.'),
                additionalProperties: { type: 'number' },
              },
            }),
          ),
          'Points in order of time; the ones without figures are left out.',
        ),
      }),
    ),
    'One entry per figure that the platform measures.',
  ),
});

/** Returns the wire form of a flow's metrics. */
export function metricsItem(metrics: FlowMetrics): Record<string, unknown> {
  return {
    ...metrics,
    from: isoTime(metrics.from),
    to: isoTime(metrics.to),
    metrics: metrics.metrics.map(({ name, points }) => ({
      name,
      points: points.map(({ timestamp, values }) => ({ timestamp: isoTime(timestamp), values })),
    })),
  };
}
