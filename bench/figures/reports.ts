import { membersSql } from '../../dev/makers/people';
import { sumUpReports } from '../../api/services/resources/reports/dailySums';
import type { Context } from '../support/context';
import { atMost, exactly, type Figure, type Line } from '../support/figure';
import { seedPeople } from '../support/seedPeople';
import { openSession, waits } from '../support/session';
import { percentile } from '../support/stats';

const groups = ['day', 'hour', 'member', 'inbox', 'tag', 'broadcast'] as const;

interface Row {
  readonly key: string | null;
  readonly started: number | null;
  readonly answered: number;
  readonly first_response_seconds: number | null;
  readonly resolved: number;
  readonly resolution_seconds: number | null;
  readonly open: number | null;
}

/** A year of conversations: each report of all of it, and whether it says what messages and activity say. */
export const figure: Figure = {
  name: 'reports',
  async run(context: Context) {
    const installation = await context.install();
    const { workspaceId } = installation.ctx;
    const { runtime, sql } = installation;
    const count = context.quick ? 20_000 : 300_000;
    const people = Math.ceil(count / 10);
    await seedPeople(installation, workspaceId, people, { bulk: true, opened: true });
    await sql(membersSql(workspaceId, 19));
    await sql('ALTER TABLE messages DISABLE TRIGGER USER');
    await sql('ALTER TABLE events DISABLE TRIGGER USER');
    // Each customer writes every five weeks, and is answered within hours by one of twenty members; all but some of the
    // last conversations are resolved within days.
    await sql(
      `CREATE TABLE talks AS
       SELECT n, c.id AS conversation_id, t.at, t.at + random() * interval '6 hours' AS answered,
         CASE WHEN n % 50 <> 0 OR n + $3::int < $2::int
           THEN t.at + interval '6 hours' + random() * interval '4 days' END AS ended,
         m.id AS member_id
       FROM generate_series(0, $2::int - 1) n
       JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM contacts WHERE workspace_id = $1) c
         ON c.place = n % $3::int
       JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM members WHERE workspace_id = $1) m
         ON m.place = n % 20
       CROSS JOIN LATERAL (SELECT date_trunc('milliseconds', now() - interval '364 days'
         + n * (interval '359 days' / $2::int)) AS at) t`,
      [workspaceId, count, people],
    );
    await sql(`UPDATE talks SET answered = date_trunc('milliseconds', answered),
      ended = date_trunc('milliseconds', ended)`);
    await sql(
      `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, opaque,
         sent_by_member_id, origin, created_at)
       SELECT $1, conversation_id, d.direction, 'text', '{}', d.status, gen_random_uuid(), d.member_id, 'dashboard',
         d.at
       FROM talks, LATERAL (VALUES ('inbound', 'received', NULL, at), ('outbound', 'read', member_id, answered))
         AS d(direction, status, member_id, at)`,
      [workspaceId],
    );
    await sql(
      `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, actor_member_id, changes,
         created_at)
       SELECT $1, 'conversation', conversation_id, 'status_changed', 'member', member_id,
         '{"conv_status": {"from": "open", "to": "resolved"}}', ended
       FROM talks WHERE ended IS NOT NULL`,
      [workspaceId],
    );
    await sql(
      `INSERT INTO conversation_episodes (workspace_id, conversation_id, started_at, first_response_at, answered_by_id,
         ended_at, ended_as, ended_by_id, team_inbox_id, tags, broadcast_id)
       SELECT $1, conversation_id, at, answered, member_id, ended, CASE WHEN ended IS NULL THEN '' ELSE 'resolved' END,
         member_id, n % 7, jsonb_build_array('tag ' || n % 40), nullif(n % 300, 0) FROM talks`,
      [workspaceId],
    );
    await sql('ALTER TABLE messages ENABLE TRIGGER USER');
    await sql('ALTER TABLE events ENABLE TRIGGER USER');
    await sql('VACUUM ANALYZE');
    context.log(`${count} conversations are there`);

    const begun = Date.now();
    const summed = await sumUpReports(runtime);
    const seconds = (Date.now() - begun) / 1_000;
    await sql('ANALYZE report_days');
    const api = await installation.startApi();
    const { token } = await openSession(installation);
    const headers = { cookie: `token=${token}` };
    const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const path = `${api.url}/api/v1/reports/?from=${day(365)}&to=${day(0)}&group_by=`;
    const lines: Line[] = [];
    let different = 0;
    for (const group of groups) {
      const times = await waits(path + group, headers, context.quick ? 10 : 40);
      lines.push(atMost(`a year of ${count} by ${group}, p95 in ms`, percentile(times, 0.95), 200));
      if (group === 'day' || group === 'hour' || group === 'member') {
        const shown = (await (await fetch(path + group, { headers })).json()) as Row[];
        const expected = await sql<Row>(
          recomputation(group),
          group === 'day' ? [workspaceId, day(365), day(0)] : [workspaceId],
        );
        const known = new Map(expected.map((row) => [row.key, JSON.stringify(row)]));
        different += shown.filter((row) => known.get(row.key) !== JSON.stringify(row)).length;
        different += Math.abs(shown.length - expected.length);
      }
    }
    return [
      ...lines,
      exactly('rows that differ from what messages and activity say', different, 0),
      { what: 'summing all of it up, conversations per second', value: summed / seconds },
    ];
  },
};

/** SQL: the same report from messages and activity alone: the workspace, its first and last day are $1 to $3. */
function recomputation(group: 'day' | 'hour' | 'member'): string {
  const figures = (answered: string, resolved: string): string => `count(answered) FILTER (WHERE ${answered})::int
      AS answered, round(avg(floor(extract(epoch FROM answered - at))) FILTER (WHERE ${answered}))::int
      AS first_response_seconds, count(ended) FILTER (WHERE ${resolved})::int AS resolved,
    round(avg(floor(extract(epoch FROM ended - at))) FILTER (WHERE ${resolved}))::int AS resolution_seconds,
    0 AS rated, 0 AS satisfied`;
  const episodes = `WITH happened AS (
      SELECT conversation_id, created_at AS at, direction AS what, sent_by_member_id AS member_id FROM messages
      WHERE workspace_id = $1
      UNION ALL SELECT subject_id, created_at, 'ended', actor_member_id FROM events
      WHERE workspace_id = $1 AND kind = 'status_changed'
    ), numbered AS (
      SELECT *, count(*) FILTER (WHERE what = 'ended') OVER (PARTITION BY conversation_id ORDER BY at
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - (what = 'ended')::int AS number FROM happened
    ), episodes AS (
      SELECT min(at) FILTER (WHERE what = 'inbound') AS at, min(at) FILTER (WHERE what = 'outbound') AS answered,
        min(at) FILTER (WHERE what = 'ended') AS ended,
        (array_agg(member_id ORDER BY at) FILTER (WHERE what = 'outbound'))[1] AS answerer,
        (array_agg(member_id ORDER BY at) FILTER (WHERE what = 'ended'))[1] AS ender
      FROM numbered GROUP BY conversation_id, number
    )`;
  if (group === 'member')
    return `${episodes} SELECT m.id::text AS key, NULL::int AS started,
        ${figures('answerer = m.id', 'ender = m.id')}, NULL::int AS open
      FROM members m JOIN episodes ON m.id IN (answerer, ender) GROUP BY m.id`;
  if (group === 'hour')
    return `${episodes} SELECT extract(hour FROM at AT TIME ZONE 'UTC')::text AS key, count(*)::int AS started,
        ${figures('true', 'true')}, NULL::int AS open
      FROM episodes GROUP BY 1`;
  return `${episodes} SELECT d::date::text AS key, count(at)::int AS started, ${figures('true', 'true')},
      (SELECT count(*) FROM episodes o WHERE (o.at AT TIME ZONE 'UTC')::date <= d::date
        AND (o.ended IS NULL OR (o.ended AT TIME ZONE 'UTC')::date > d::date))::int AS open
    FROM generate_series($2::date, $3::date, interval '1 day') d
    LEFT JOIN episodes ON (at AT TIME ZONE 'UTC')::date = d::date GROUP BY d`;
}
