import { flowStatuses } from '../../../../models/enums';
import { choice, datetime, described, field, input, parseWith, text } from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';
import { granularities } from './metrics';

const status = choice(flowStatuses);

/** Query of the flow list. */
export const flowListQuery = input({
  status: described(
    field<string>({ type: 'string', enum: [...flowStatuses] }, (raw) =>
      parseWith(status, typeof raw === 'string' ? raw.toUpperCase() : raw),
    ),
    'Only flows with this status, in upper or lower case.',
    'PUBLISHED',
  ),
  search: described(text({ max: 255 }), 'Only flows whose name or flow_id contains this text.', 'appointment'),
  ...pagingQuery,
});

/** Query of a flow's submissions. */
export const submissionListQuery = input({ ...pagingQuery });

/** Query of a flow's metrics. */
export const metricsQuery = input({
  from: described(
    datetime(),
    'Start of the span. Default: a week before its end, or a day with the granularity `hour`. At most 90 days ' +
      'before `to`, or 30 with `hour`.',
    '2026-11-15T00:00:00Z',
  ),
  to: described(datetime(), 'End of the span. Default: now.', '2026-11-22T00:00:00Z'),
  granularity: described(
    choice(granularities),
    'Time that one figure covers. Default: `day`. With `lifetime` there is one figure for all time, and `from` and ' +
      '`to` are ignored.',
    'day',
  ),
});
