import { choice, date, described, input } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { pagingQuery } from '../../../core/http/paging';
import { wire } from '../../../core/http/shapes';
import { episodeShape, reportShape, serializeEpisode, serializeReport } from './serializer';
import { listEpisodes, readReport, reportGroups } from './service';

const common = { tag: 'Reports', scope: 'report.view', audience: 'session' } as const;

const span = {
  from: described(date(), 'First day, in the time zone of the workspace. Default: 29 days before `to`.', '2026-10-01'),
  to: described(date(), 'Last day. Default: today.', '2026-10-31'),
};

/** How a team does (contract 18.5). */
export const reportOperations = [
  operation({
    ...common,
    id: 'reports.read',
    method: 'GET',
    path: '/api/v1/reports/',
    summary: 'Sum up conversations and how long they took',
    description:
      'The conversations that began on the days from `from` to `to`, both included, at most 366 days: from a ' +
      "customer's message, where nothing was under way, until they are resolved, converted or spam. Counted once a " +
      'minute. Dashboard sessions only.',
    query: input({
      ...span,
      group_by: described(choice(reportGroups), 'What the figures are summed up by. Default: `day`.', 'inbox'),
    }),
    status: 200,
    output: wire.list(reportShape),
    run: async (ctx, { from, to, group_by: groupBy = 'day' }) =>
      (await readReport(ctx, { from, to, groupBy })).map(serializeReport),
  }),
  operation({
    ...common,
    id: 'reports.listConversations',
    method: 'GET',
    path: '/api/v1/reports/conversations/',
    summary: 'List the conversations behind the figures',
    description:
      'One row per conversation that began on these days, the oldest first, as long as the activity is kept. ' +
      'Durations are filled in within a minute. Dashboard sessions only.',
    query: input({ ...span, ...pagingQuery }),
    status: 200,
    output: wire.page(episodeShape),
    run: async (ctx, given) => {
      const page = await listEpisodes(ctx, given);
      return { ...page, items: page.items.map(serializeEpisode) };
    },
  }),
];
