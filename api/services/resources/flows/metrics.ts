import type { Ctx } from '../../../core/context';
import { AppError, invalid, invalidField, notFound } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { isUnknownObject, UpstreamError } from '../../../core/platform/upstream';
import { credentialsOf } from '../accounts/service';
import { getStoredFlow } from './service';
import { reason } from '../reasons';

export const granularities = ['day', 'hour', 'lifetime'] as const;
type Granularity = (typeof granularities)[number];

/** What the upstream measures about a flow's endpoint. */
export const metricNames = [
  'endpoint_request_count',
  'endpoint_request_error',
  'endpoint_request_error_rate',
  'endpoint_request_latency_seconds_ceil',
  'endpoint_availability',
] as const;

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const readTimeoutMs = 8_000;
/** Longest span that is asked for, and the one when none is given, in days. */
const spans: Readonly<Record<Exclude<Granularity, 'lifetime'>, { longest: number; usual: number; step: number }>> = {
  day: { longest: 90, usual: 7, step: dayMs },
  hour: { longest: 30, usual: 1, step: hourMs },
};

interface MetricsInput {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly granularity?: Granularity | undefined;
}

interface MetricPoint {
  readonly timestamp: Date;
  readonly values: Readonly<Record<string, number>>;
}

export interface FlowMetrics {
  readonly flow_id: string;
  readonly granularity: Granularity;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly metrics: readonly { readonly name: string; readonly points: readonly MetricPoint[] }[];
}

/** Figures of a flow's endpoint, asked from the upstream; throws the 503 when it does not answer. */
export async function readMetrics(ctx: Ctx, flowId: string, input: MetricsInput): Promise<FlowMetrics> {
  const granularity = input.granularity ?? 'day';
  const span = spanOf(ctx, granularity, input);
  const flow = await getStoredFlow(ctx, flowId);
  const { accessToken } = await credentialsOf(ctx.runtime, flow.business_account_id);
  const signal = AbortSignal.timeout(readTimeoutMs);
  try {
    const metrics = await Promise.all(
      metricNames.map(async (name) => {
        const fields = `metric.name(${name.toUpperCase()}).granularity(${granularity.toUpperCase()})${limits(span)}`;
        const answer = await ctx.runtime.upstream.get(accessToken, encodeURIComponent(flowId), { fields }, signal);
        return { name, points: pointsOf(answer['metric'], span) };
      }),
    );
    return { flow_id: flowId, granularity, from: span?.from ?? null, to: span?.to ?? null, metrics };
  } catch (error) {
    if (isUnknownObject(error)) throw notFound();
    if (error instanceof UpstreamError && error.code === 100)
      throw invalid({ non_field_errors: [reason('platformRefusedThis', { why: error.message })] });
    ctx.logger.warn(
      { event: 'flow.metrics_failed', flowId, reason: reasonOf(error) },
      'flow metrics could not be read from the platform',
    );
    throw new AppError('unavailable', reason('platformSilent'), { retryAfter: 5 });
  }
}

interface Span {
  readonly from: Date;
  readonly to: Date;
  /** Length of a point, which carries its first instant. */
  readonly step: number;
}

function spanOf(ctx: Ctx, granularity: Granularity, input: MetricsInput): Span | null {
  if (input.from && input.to && input.from > input.to) throw invalidField('from', reason('order'));
  if (granularity === 'lifetime') return null;
  const { longest, usual, step } = spans[granularity];
  const to = input.to ?? ctx.runtime.clock.now();
  const from = input.from ?? new Date(to.getTime() - usual * dayMs);
  if (from > to) throw invalidField('from', reason('order'));
  if (to.getTime() - from.getTime() > longest * dayMs) throw invalidField('from', reason('flowSpan', { max: longest }));
  return { from, to, step };
}

/** The upstream counts by whole days; results outside the span are removed later. */
function limits(span: Span | null): string {
  if (!span) return '';
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return `.since(${day(span.from.getTime())}).until(${day(span.to.getTime() + dayMs)})`;
}

function pointsOf(metric: unknown, span: Span | null): MetricPoint[] {
  const given = (metric as { data_points?: unknown } | null | undefined)?.data_points;
  return (Array.isArray(given) ? (given as unknown[]) : []).flatMap((raw) => {
    const point = (raw ?? {}) as { timestamp?: unknown; data?: unknown };
    const timestamp = new Date(String(point.timestamp));
    if (Number.isNaN(timestamp.getTime())) return [];
    if (span && (timestamp > span.to || timestamp.getTime() <= span.from.getTime() - span.step)) return [];
    const data = Array.isArray(point.data) ? (point.data as { key?: unknown; value?: unknown }[]) : [];
    const values = data.flatMap(({ key, value }): [string, number][] =>
      typeof key === 'string' && typeof value === 'number' && Number.isFinite(value) ? [[key, value]] : [],
    );
    return [{ timestamp, values: Object.fromEntries(values) }];
  });
}
