import type { Page } from '../../../core/operations';
import { AppError } from '../../../core/errors';
import { definePages } from '../page';

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
        page.call<Page<object>>('flows.submissions', { flow_id, page_size: 20, ...page.query }),
        flow.is_data_exchange === 'true' ? readMetrics(() => page.call('flows.metrics', { flow_id })) : [],
      ]);
      const data = {
        flow,
        list,
        metrics,
        metricLabels,
        figureText,
        path: `${path}${encodeURIComponent(flow.flow_id)}/`,
      };
      return page.page('/flows/one', data, { title: flow.name, place });
    },
  },
]);

/** Returns the figures; null while the platform gives none. */
async function readMetrics(ask: () => Promise<{ metrics?: unknown }>): Promise<readonly Metric[] | null> {
  try {
    return (await ask()).metrics as readonly Metric[];
  } catch (error) {
    if (error instanceof AppError && error.status !== 403) return null;
    throw error;
  }
}
