import { operation, reply } from '../../../core/http/operations';
import { isoTime, wire } from '../../../core/http/shapes';
import { readLiveFlow, type LiveFlow } from './live';
import { readMetrics } from './metrics';
import { flowListQuery, metricsQuery, submissionListQuery } from './schema';
import { flowItem, flowShape, metricsItem, metricsShape, submissionItem, submissionShape } from './serializer';
import { getStoredFlow, listFlows } from './service';
import { listSubmissions } from './submissions';

/** Flows over the API: read only, because they are made at the platform. */
export const flowOperations = [
  operation({
    id: 'flows.list',
    method: 'GET',
    path: '/api/v1/flows/',
    tag: 'Flows',
    summary: 'List flows',
    description:
      'Stored copies of the flows, sorted by name. Webhooks of the platform and a regular sync keep them up to ' +
      'date. `GET /flows/{flow_id}/` asks the platform itself.',
    scope: 'flow.view',
    query: flowListQuery,
    status: 200,
    output: wire.page(flowShape),
    run: async (ctx, query) => {
      const page = await listFlows(ctx, query);
      return { ...page, items: page.items.map(flowItem) };
    },
  }),
  operation({
    id: 'flows.get',
    method: 'GET',
    path: '/api/v1/flows/{flow_id}/',
    tag: 'Flows',
    summary: 'Read a flow as the platform has it now',
    description:
      'Asks the platform, at most once in 5 seconds for each flow; in between, the answer is the stored copy. If ' +
      'the platform does not answer, or no longer has the flow, the answer is the stored copy with a `Warning` ' +
      'header. A flow that is not stored yet is fetched.',
    scope: 'flow.view',
    status: 200,
    output: flowShape,
    responseHeaders: { Warning: '`110` with the reason, when the answer may not be what the platform has now.' },
    run: async (ctx, { flow_id }) => {
      const live = await readLiveFlow(ctx, flow_id);
      return reply(flowItem(live.flow), live.stale ? { Warning: warningOf(live) } : {});
    },
  }),
  operation({
    id: 'flows.submissions',
    method: 'GET',
    path: '/api/v1/flows/{flow_id}/submissions/',
    tag: 'Flows',
    summary: 'List what customers submitted in a flow',
    description:
      'Newest first. A submission belongs to the flow of the message that it answers, or of the latest message with ' +
      'its `flow_token`. It is erased with its contact.',
    scope: 'flow.view',
    locate: (ctx, params) => getStoredFlow(ctx, params.flow_id),
    query: submissionListQuery,
    status: 200,
    output: wire.page(submissionShape),
    run: async (ctx, { flow_id, ...paging }) => {
      const page = await listSubmissions(ctx, flow_id, paging);
      return { ...page, items: page.items.map(submissionItem) };
    },
  }),
  operation({
    id: 'flows.metrics',
    method: 'GET',
    path: '/api/v1/flows/{flow_id}/metrics/',
    tag: 'Flows',
    summary: "Read the figures of a flow's endpoint",
    description: 'These are fetched from the platform each time. 503 while it does not answer.',
    scope: 'flow.view',
    locate: (ctx, params) => getStoredFlow(ctx, params.flow_id),
    query: metricsQuery,
    status: 200,
    output: metricsShape,
    run: async (ctx, { flow_id, ...query }) => metricsItem(await readMetrics(ctx, flow_id, query)),
  }),
];

/** RFC 7234 5.5: 110, the answer is stale. */
function warningOf({ flow, stale }: LiveFlow): string {
  const reason = stale === 'gone' ? 'the platform no longer has this flow' : 'the platform could not be asked';
  return `110 msgdesk "Stale: ${reason}; stored copy of ${isoTime(flow.synced_at)}"`;
}
