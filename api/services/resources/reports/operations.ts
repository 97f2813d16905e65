import { choice, date, described, input, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { pagingQuery } from '../../../core/http/paging';
import { wire } from '../../../core/http/shapes';
import { reportFigures, reportGroups } from './figures';
import { episodeShape, reportShape, serializeEpisode, serializeReport } from './serializer';
import { listEpisodes, readReport } from './service';

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
      'One row per conversation that a figure counts, the oldest first, as long as the activity is kept: of those ' +
      'that began on these days, or with `figure=open` that were open at the end of the last one. Figures follow ' +
      'within a minute. Dashboard sessions only.',
    query: input({
      ...span,
      figure: described(choice(reportFigures), 'Which figure of the report. Default: `started`.', 'resolved'),
      group_by: described(choice(reportGroups), 'What the report is summed up by. Default: `day`.', 'inbox'),
      key: described(
        text({ max: 255, trim: false }),
        'With `group_by`: the `key` of the row, left out where that is null. Of a day `from` and `to` say it.',
        '1',
      ),
      ...pagingQuery,
    }),
    status: 200,
    output: wire.page(episodeShape),
    run: async (ctx, { figure = 'started', group_by: groupBy = 'day', key = '', ...given }) => {
      const page = await listEpisodes(ctx, { ...given, figure, groupBy, key });
      return { ...page, items: page.items.map(serializeEpisode) };
    },
  }),
];
