import { listCalls } from '../../api/services/identity/audit/service';
import type { Context, Installation } from '../support/context';
import { atMost, type Figure, type Line } from '../support/figure';
import { createReader, walkLines, type Reader } from '../support/reads';
import { seedConversations, type SeededConversations } from '../support/seedConversations';
import { seedPeople } from '../support/seedPeople';
import { median, percentile } from '../support/stats';

/** Times what members read most: the inbox by last message, with each filter, search, a long thread, activity. */
export const figure: Figure = {
  name: 'conversations',
  async run(context: Context) {
    const size = context.quick ? 50_000 : 1_000_000;
    const threadLength = context.quick ? 5_000 : 50_000;
    const installation = await context.install();
    const begun = Date.now();
    await seedPeople(installation, installation.ctx.workspaceId, size, { bulk: true });
    const seeded = await seedConversations(installation, {
      messages: size * 5,
      threadLength,
      audit: context.quick ? 10_000 : 200_000,
    });
    await installation.sql('VACUUM ANALYZE contacts');
    context.log(`${size} conversations are there after ${((Date.now() - begun) / 1000).toFixed(0)} s`);
    const api = await installation.startApi();
    const reader = createReader(api.url ?? '', installation.apiKey);
    const lines = [
      ...(await filterLines(context, reader, seeded)),
      ...(await threadLines(context, reader, seeded, threadLength)),
      await auditLine(context, installation),
      ...(await walkLines(context, reader, '/api/v1/conversations/?page_size=200', size, 1.2)),
    ];
    await reader.close();
    return lines;
  },
};

/** Returns the median milliseconds of each path, all in turns, and every sample. */
async function timesOf(
  context: Context,
  { get }: Reader,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const samples = new Map<string, number[]>(paths.map((path) => [path, []]));
  // The first round warms caches.
  for (let round = 0; round <= (context.quick ? 5 : 15); round += 1)
    for (const path of paths) {
      const { ms, answer } = await get(path);
      if (round === 0) context.log(`${path}: ${answer.count} found`);
      else samples.get(path)?.push(ms);
    }
  for (const [path, times] of samples) context.log(`${path}: ${median(times).toFixed(1)} ms`);
  return samples;
}

async function filterLines(context: Context, reader: Reader, seeded: SeededConversations): Promise<Line[]> {
  const list = '/api/v1/conversations/';
  const usual = [
    'status=open',
    'unread=true',
    `assigned_member=${seeded.memberId}`,
    `assigned_member=${seeded.memberId}&status=open`,
    `assigned_team_inbox=${seeded.inboxId}`,
    `assigned_team_inbox=${seeded.inboxId}&status=open&unread=true`,
    'status=snoozed',
    'priority=urgent',
    'priority=high&status=open',
    'window_open=true',
    'search=Quistorp',
    'search=anna.becker',
    'search=kestrelmail&status=open',
  ].map((query) => `${list}?${query}`);
  const wide = ['', 'assigned_member=none', 'status=resolved', 'tag=vip', 'has_messages=true'].map((query) =>
    query === '' ? list : `${list}?${query}`,
  );
  const usualTimes = [...(await timesOf(context, reader, usual)).values()].flat();
  const wideTimes = await timesOf(context, reader, wide);
  return [
    {
      what: `conversations by ${usual.length} usual filters and searches, p50 in ms`,
      value: percentile(usualTimes, 0.5),
    },
    atMost('the same, p95 in ms', percentile(usualTimes, 0.95), 60),
    {
      what: 'the whole list and filters that most conversations pass (an exact count of them), p95 in ms',
      value: percentile([...wideTimes.values()].flat(), 0.95),
    },
  ];
}

async function threadLines(
  context: Context,
  reader: Reader,
  { longest }: SeededConversations,
  threadLength: number,
): Promise<Line[]> {
  const thread = `/api/v1/conversations/${longest}/messages/`;
  const trail = `/api/v1/conversations/${longest}/activity/`;
  const times = await timesOf(context, reader, [thread, trail]);
  const p95 = (path: string): number => percentile(times.get(path) ?? [], 0.95);
  return [
    atMost(`thread of ${threadLength} messages, first page, p95 in ms`, p95(thread), 15),
    atMost(`its activity, as many entries, first page, p95 in ms`, p95(trail), 15),
  ];
}

/** The audit log is read by members, not by keys: its service function is timed without HTTP. */
async function auditLine(context: Context, { ctx }: Installation): Promise<Line> {
  const times: number[] = [];
  for (let round = 0; round <= (context.quick ? 5 : 15); round += 1) {
    const started = performance.now();
    await listCalls(ctx, {});
    if (round > 0) times.push(performance.now() - started);
  }
  return atMost('audit log, first page, p95 in ms', percentile(times, 0.95), 60);
}
