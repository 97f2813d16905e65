import type { Page } from '../../../core/http/operations';
import { AppError } from '../../../core/http/errors';
import { titleOf } from '../inbox/load';
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
  readonly is_data_exchange: string;
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
      return page.page('/flows/list', { list, search, path }, { title: 'Flows', place });
    },
  },
  {
    method: 'GET',
    path: `${path}:flow_id/`,
    scope: 'flow.view',
    run: async (page) => {
      const { flow_id } = page.params;
      const flow = await page.call<FlowRecord>('flows.get', { flow_id });
      const [list, metrics] = await Promise.all([
        page.call<Page<Submission>>('flows.submissions', { flow_id, page_size: 20, ...page.query }),
        flow.is_data_exchange === 'true' ? readMetrics(() => page.call('flows.metrics', { flow_id })) : [],
      ]);
      const data = {
        flow,
        hasFigures: metrics !== null,
        list,
        names: await namesOf(page, list.items),
        figures: metrics && figureTable(metrics),
        path: `${path}${encodeURIComponent(flow.flow_id)}/`,
      };
      return page.page('/flows/one', data, { title: flow.name, place });
    },
  },
]);

interface Submission {
  readonly receiver_id: string;
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
