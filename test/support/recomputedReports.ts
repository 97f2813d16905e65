import type { Runtime } from '../../api/core/runtime';
import type { ReportRow } from '../../api/services/resources/reports/serializer';

export type ReportGroup = 'day' | 'hour' | 'member' | 'inbox' | 'tag' | 'broadcast';

/** Returns the seconds between two moments that lie within the hours of a team inbox. */
export type Seconds = (from: Date, to: Date, inbox: number | null) => number;

interface Episode {
  readonly startedAt: Date;
  readonly broadcast: number | null;
  answeredAt: Date | null;
  answeredBy: number | null;
  endedAt: Date | null;
  endedAs: string;
  endedBy: number | null;
  inbox: number | null;
  tags: readonly string[];
  id: number | null;
  rating: unknown;
}

interface Message {
  readonly id: number;
  readonly conversation_id: number;
  readonly direction: string;
  readonly origin: string;
  readonly created_at: Date;
  readonly body: { readonly interactive?: { readonly button_reply?: { readonly id: string } } };
  readonly sent_by_member_id: number | null;
  readonly broadcast_id: number | null;
}

interface Entry {
  readonly id: number;
  readonly subject_id: number;
  readonly kind: string;
  readonly actor_member_id: number | null;
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  readonly data: { readonly message_id?: number; readonly episode_id?: number };
  readonly created_at: Date;
}

const ended = ['resolved', 'converted', 'spam'];

/** Makes a report from messages and activity alone, slowly and plainly. */
export async function recomputed(
  db: Runtime['db'],
  workspaceId: number,
  span: { readonly from: string; readonly to: string },
  group: ReportGroup,
  secondsOf: Seconds = (from, to) => (to.getTime() - from.getTime()) / 1_000,
): Promise<ReportRow[]> {
  const bind = { workspaceId };
  const messages = await db.rows<Message>('SELECT * FROM messages WHERE workspace_id = $workspaceId ORDER BY id', bind);
  const entries = await db.rows<Entry>(
    `SELECT * FROM events WHERE workspace_id = $workspaceId AND subject_type IN ('conversation', 'contact')
     ORDER BY id`,
    bind,
  );
  const zone = (await db.row<{ timezone: string }>('SELECT timezone FROM workspaces WHERE id = $workspaceId', bind))
    ?.timezone;
  const dayOf = (moment: Date): string => new Intl.DateTimeFormat('sv', { timeZone: zone ?? 'UTC' }).format(moment);
  const hourOf = (moment: Date): string =>
    String(Number(new Intl.DateTimeFormat('sv', { timeZone: zone ?? 'UTC', hour: '2-digit' }).format(moment)));
  const episodes = [...new Set(messages.map((message) => message.conversation_id))].flatMap((id) =>
    episodesOf(
      messages.filter((message) => message.conversation_id === id),
      entries.filter((entry) => entry.subject_id === id),
    ),
  );
  const began = episodes.filter(({ startedAt }) => dayOf(startedAt) >= span.from && dayOf(startedAt) <= span.to);
  const figures = (answered: readonly Episode[], resolved: readonly Episode[]) =>
    figuresOf(answered, resolved, secondsOf);
  const keyOf = (value: unknown): string | null => (value === null ? null : String(value));

  if (group === 'member') {
    const answered = (id: number | null) => began.filter((one) => one.answeredAt !== null && one.answeredBy === id);
    const resolved = (id: number | null) => began.filter((one) => isResolved(one) && one.endedBy === id);
    const ids = new Set([
      ...began.flatMap((one) => (one.answeredAt === null ? [] : [one.answeredBy])),
      ...began.flatMap((one) => (isResolved(one) ? [one.endedBy] : [])),
    ]);
    return [...ids].map((id) => ({
      ...figures(answered(id), resolved(id)),
      key: keyOf(id),
      started: null,
      open: null,
    }));
  }
  if (group === 'day') {
    const days: string[] = [];
    for (let at = Date.parse(span.from); at <= Date.parse(span.to); at += 86_400_000)
      days.push(new Date(at).toISOString().slice(0, 10));
    return days.map((day) => {
      const own = began.filter(({ startedAt }) => dayOf(startedAt) === day);
      const open = episodes.filter(
        ({ startedAt, endedAt }) => dayOf(startedAt) <= day && (endedAt === null || dayOf(endedAt) > day),
      );
      return { ...figures(own, own), key: day, started: own.length, open: open.length };
    });
  }
  const keysOf = (one: Episode): readonly (string | null)[] =>
    ({
      hour: [hourOf(one.startedAt)],
      inbox: [keyOf(one.inbox)],
      tag: one.tags,
      broadcast: [keyOf(one.broadcast)],
    })[group];
  return [...new Set(began.flatMap(keysOf))].map((key) => {
    const own = began.filter((one) => keysOf(one).includes(key));
    return { ...figures(own, own), key, started: own.length, open: null };
  });
}

const isResolved = ({ endedAs }: Episode): boolean => endedAs === 'resolved' || endedAs === 'converted';

function figuresOf(answered: readonly Episode[], resolved: readonly Episode[], secondsOf: Seconds) {
  const seconds = (one: Episode, to: Date): number => Math.floor(secondsOf(one.startedAt, to, one.inbox));
  const first = answered.flatMap((one) => (one.answeredAt === null ? [] : [seconds(one, one.answeredAt)]));
  const last = resolved.flatMap((one) => (isResolved(one) && one.endedAt !== null ? [seconds(one, one.endedAt)] : []));
  const average = (of: readonly number[]): number | null =>
    of.length === 0 ? null : Math.round(of.reduce((sum, value) => sum + value, 0) / of.length);
  return {
    answered: first.length,
    first_response_seconds: average(first),
    resolved: last.length,
    resolution_seconds: average(last),
    rated: resolved.filter(({ rating }) => rating !== null).length,
    satisfied: resolved.filter(({ rating }) => rating === 'good').length,
  };
}

/** Walks through what happened in one conversation. */
function episodesOf(messages: readonly Message[], entries: readonly Entry[]): Episode[] {
  const found: Episode[] = [];
  let inbox: number | null = null;
  let tags: readonly string[] = [];
  const current = (): Episode | undefined => found.find(({ endedAt }) => endedAt === null);
  const note = (episode: Episode): void => void Object.assign(episode, { inbox, tags });
  const begin = (message: Message | undefined): void => {
    if (!message || current()) return;
    const before = messages.filter(({ id }) => id < message.id).at(-1);
    found.push({
      startedAt: message.created_at,
      broadcast: before?.broadcast_id ?? null,
      answeredAt: null,
      answeredBy: null,
      endedAt: null,
      endedAs: '',
      endedBy: null,
      inbox,
      tags,
      id: null,
      rating: null,
    });
  };
  const unwritten = ['broadcast', 'satisfaction'];
  const answers = messages.filter(({ direction, origin }) => direction === 'outbound' && !unwritten.includes(origin));
  const later = <T extends Entry | Message>(a: T, b: T): number =>
    a.created_at.getTime() - b.created_at.getTime() || a.id - b.id;
  begin(messages.find(({ direction }) => direction === 'inbound'));
  for (const item of [...entries, ...answers].sort(later)) {
    const episode = current();
    if ('direction' in item) {
      if (!episode || episode.answeredAt !== null) continue;
      episode.answeredAt = new Date(Math.max(item.created_at.getTime(), episode.startedAt.getTime()));
      episode.answeredBy = item.sent_by_member_id;
      note(episode);
      continue;
    }
    const { changes } = item;
    if (changes['assigned_team_inbox']) inbox = changes['assigned_team_inbox'].to as number | null;
    if (changes['tags']) tags = changes['tags'].to as string[];
    if (item.kind === 'reopened') {
      const opener = messages.find(({ id }) => id === item.data.message_id);
      if (!opener?.body.interactive?.button_reply?.id.startsWith('msgdesk-rating:')) begin(opener);
    }
    if (item.kind === 'rated') {
      const rated = found.find(({ id }) => id === item.data.episode_id);
      if (rated) rated.rating = changes['rating']?.to;
    }
    const last = [...found].sort((a, b) => Number(b.endedAt) - Number(a.endedAt))[0];
    if (item.kind === 'satisfaction_asked' && last) last.id = item.data.episode_id ?? null;
    const status = changes['conv_status'];
    if (item.kind !== 'status_changed' || !status) continue;
    const [was, is] = [ended.includes(String(status.from)), ended.includes(String(status.to))];
    if (is && !was && episode) {
      episode.endedAt = new Date(Math.max(item.created_at.getTime(), episode.startedAt.getTime()));
      episode.endedAs = String(status.to);
      episode.endedBy = item.actor_member_id;
      note(episode);
    }
    if (was && !is && last) Object.assign(last, { endedAt: null, endedAs: '', endedBy: null });
  }
  return found;
}
