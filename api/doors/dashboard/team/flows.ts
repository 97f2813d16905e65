import type { Page } from '../../../core/http/operations';
import { AppError } from '../../../core/http/errors';
import { titleOf } from '../inbox/load';
import { pagerView, statusTag, type PagerView, type TagView } from '../fieldViews';
import { asText } from '../lookups';
import { definePages, type PageRequest } from '../page';

const path = '/dashboard/flows/';
const place = 'flows';

interface Metric {
  readonly name: string;
  readonly points: readonly { readonly timestamp: string; readonly values: Readonly<Record<string, number>> }[];
}

interface FlowRecord {
  readonly flow_id: string;
  readonly name: string;
  readonly status: string;
  readonly preview_url: string;
  readonly is_data_exchange: string;
  readonly data_channel_uri: string;
  readonly validation_errors: unknown;
  readonly alerts: readonly { readonly alert_state: string; readonly event: string; readonly message: string }[];
  readonly updated_at: string;
  readonly synced_at: string;
}

/** A flow as a row of the list. */
interface FlowRow extends Pick<FlowRecord, 'flow_id' | 'name'> {
  readonly path: string;
  readonly isAlarming: boolean;
  readonly state: TagView;
}

/** A flow's page. */
interface FlowView {
  readonly flow: FlowRecord;
  readonly state: TagView;
  /** Where it can be tried; null: nowhere. */
  readonly tryAt: string | null;
  readonly alerts: readonly { readonly event: string; readonly message: string }[];
  readonly errorCount: number;
  /** What is known of its endpoint; null: it has none. */
  readonly endpoint: { readonly figures: FigureTable | null; readonly remark: string } | null;
  readonly submissions: readonly SubmissionRow[];
  readonly pager: PagerView | null;
}

/** What a customer filled in. */
interface SubmissionRow {
  readonly title: string;
  /** Their conversation, where the member may see it. */
  readonly href: string | null;
  readonly answers: readonly { readonly name: string; readonly text: string }[];
  readonly at: string;
}

function stateOf({ status }: FlowRecord): TagView {
  return statusTag(status, status.toLowerCase());
}

function alertsOf({ alerts }: FlowRecord): FlowView['alerts'] {
  return alerts
    .filter(({ alert_state: state }) => state === 'ACTIVATED')
    .map(({ event, message }) => ({ event: event.toLowerCase().replaceAll('_', ' '), message }));
}

function endpointView(metrics: readonly Metric[] | null): FlowView['endpoint'] {
  if (!metrics) return { figures: null, remark: 'The platform gives no figures at the moment.' };
  return { figures: figureTable(metrics), remark: 'No figures yet.' };
}

const metricLabels: Readonly<Record<string, string>> = {
  endpoint_request_count: 'Requests',
  endpoint_request_error: 'Errors',
  endpoint_request_error_rate: 'Error rate',
  endpoint_request_latency_seconds_ceil: 'Latency, seconds',
  endpoint_availability: 'Availability',
};

/** The figures of an endpoint, day by day. */
interface FigureTable {
  readonly days: readonly string[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly string[] }[];
}

/** Returns the figures as a table; null while there are none. */
function figureTable(metrics: readonly Metric[]): FigureTable | null {
  const days = metrics.find(({ points }) => points.length > 0)?.points.map(({ timestamp }) => timestamp) ?? [];
  const cellOf = ({ name, points }: Metric, day: string): string => {
    const point = points.find(({ timestamp }) => timestamp === day);
    return point
      ? Object.values(point.values)
          .map((value) => figureText(name, value))
          .join(', ')
      : '–';
  };
  const rows = metrics.map((metric) => ({
    label: metricLabels[metric.name] ?? metric.name,
    cells: days.map((day) => cellOf(metric, day)),
  }));
  return days.length === 0 ? null : { days, rows };
}

/** Writes a figure: shares in percent. */
function figureText(name: string, value: number): string {
  const isShare = name.endsWith('_rate') || name.endsWith('_availability');
  return isShare ? `${Number((value * 100).toFixed(1))} %` : value.toLocaleString('en');
}

/** Flows: the list, one with its submissions and the figures of its endpoint. */
export const flowPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'flow.view',
    run: async (page) => {
      const { search } = page.query;
      const list = await page.call<Page<FlowRecord>>('flows.list', { ...page.query });
      const flows = list.items.map((flow): FlowRow => ({
        flow_id: flow.flow_id,
        name: flow.name,
        path: `${path}${encodeURIComponent(flow.flow_id)}/`,
        isAlarming: alertsOf(flow).length > 0,
        state: stateOf(flow),
      }));
      const data = { flows, pager: pagerView(list, path, { search }), search, path };
      return page.page('/flows/list', data, { title: 'Flows', place });
    },
  },
  {
    method: 'GET',
    path: `${path}:flow_id/`,
    scope: 'flow.view',
    run: async (page) => {
      const { flow_id } = page.params;
      const flow = await page.call<FlowRecord>('flows.get', { flow_id });
      const hasEndpoint = flow.is_data_exchange === 'true';
      const [list, metrics] = await Promise.all([
        page.call<Page<Submission>>('flows.submissions', { flow_id, page_size: 20, ...page.query }),
        hasEndpoint ? readMetrics(() => page.call('flows.metrics', { flow_id })) : [],
      ]);
      const errors = flow.validation_errors;
      const data: FlowView = {
        flow,
        state: stateOf(flow),
        tryAt: /^https?:\/\//.test(flow.preview_url) ? flow.preview_url : null,
        alerts: alertsOf(flow),
        errorCount: Array.isArray(errors) ? errors.length : 0,
        endpoint: hasEndpoint ? endpointView(metrics) : null,
        submissions: await submissionRows(page, list.items),
        pager: pagerView(list, `${path}${encodeURIComponent(flow.flow_id)}/`),
      };
      return page.page('/flows/one', data, { title: flow.name, place });
    },
  },
]);

interface Submission {
  readonly receiver_id: string;
  readonly response: Readonly<Record<string, unknown>>;
  readonly submitted_at: string;
}

async function submissionRows(page: PageRequest, submissions: readonly Submission[]): Promise<SubmissionRow[]> {
  const names = await namesOf(page, submissions);
  return submissions.map(({ receiver_id: receiver, response, submitted_at: at }) => ({
    title: names.get(receiver) ?? receiver,
    href: page.can('chat.view') ? `/dashboard/inbox/${encodeURIComponent(receiver)}/` : null,
    answers: Object.entries(response).map(([name, value]) => ({ name, text: asText(value) })),
    at,
  }));
}

/** Returns what the customers of submissions are called, where the member may know it. */
async function namesOf(page: PageRequest, submissions: readonly Submission[]): Promise<Map<string, string>> {
  if (!page.can('chat.view')) return new Map();
  const receivers = [...new Set(submissions.map(({ receiver_id: id }) => id))];
  return new Map(
    await Promise.all(
      receivers.map(async (receiver_id): Promise<[string, string]> => {
        const found = await page.call<Parameters<typeof titleOf>[0]>('conversations.get', { receiver_id });
        return [receiver_id, titleOf(found)];
      }),
    ),
  );
}

/** Returns the figures; null while the platform gives none. */
async function readMetrics(ask: () => Promise<{ metrics?: unknown }>): Promise<readonly Metric[] | null> {
  try {
    return (await ask()).metrics as readonly Metric[];
  } catch (error) {
    if (error instanceof AppError && error.status !== 403) return null;
    throw error;
  }
}
