/** What a report is summed up by. */
export const reportGroups = ['day', 'hour', 'member', 'inbox', 'tag', 'broadcast'] as const;
export type ReportGroup = (typeof reportGroups)[number];

/** What a report counts of conversations. */
export const reportFigures = ['started', 'answered', 'resolved', 'rated', 'satisfied', 'open'] as const;
export type ReportFigure = (typeof reportFigures)[number];

/**
 * SQL: all that episode `e` is counted under: the kind and key, and whether its beginning, its first answer and its end
 * with the rating count there. A member's count only the first answers and endings that are theirs.
 */
const placesSql = `
  VALUES ('day', '', true, true, true),
    ('hour', e.started_hour::text, true, true, true),
    ('inbox', e.team_inbox_id::text, true, true, true),
    ('broadcast', e.broadcast_id::text, true, true, true)
  UNION ALL SELECT 'member', e.answered_by_id::text, false, true, false WHERE e.first_response_at IS NOT NULL
  UNION ALL SELECT 'member', e.ended_by_id::text, false, false, true WHERE e.resolution_seconds IS NOT NULL
  UNION ALL SELECT 'tag', tag.name, true, true, true
    FROM (SELECT DISTINCT left(t #>> '{}', 255)
      FROM jsonb_path_query(e.tags, '$[*] ? (@.type() == "string")') t) tag(name)`;

/** SQL: the same as rows `k`; the key of what has none is empty. */
export const countedSql = `(
  SELECT p.kind, left(coalesce(p.key, ''), 255) AS key, p.started, p.answered, p.resolved
  FROM (${placesSql}) AS p(kind, key, started, answered, resolved)
) k`;

/** SQL: whether a figure counts episode `e` as `k`: its sum counts by this, and its list is made by this. */
export const figureSql: Readonly<Record<Exclude<ReportFigure, 'open'>, string>> = {
  started: 'k.started',
  answered: 'k.answered AND e.first_response_seconds IS NOT NULL',
  resolved: 'k.resolved AND e.resolution_seconds IS NOT NULL',
  rated: 'k.resolved AND e.rating IS NOT NULL',
  satisfied: `k.resolved AND e.rating = 'good'`,
};
