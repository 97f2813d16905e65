import type { Response } from 'express';
import type { Scope } from '../../core/http/access';
import type { Runtime } from '../../core/runtime';
import {
  maxChanges,
  oldestOpen,
  overlapMs,
  readChanges,
  readPosition,
  snapshotFrom,
  type LiveChange,
  type LivePosition,
} from '../../services/processes/live/changes';

/** Streams of one process, and of one member in it (contract 12). */
const maxStreams = 500;
const maxPerMember = 20;
const lookEveryMs = 300;
const beatEveryMs = 15_000;
const checkEveryMs = 60_000;
/** What is older is not told one by one. */
const maxCatchUpMs = 10 * 60_000;

/** The scope that a member needs to be told of a change, by its type. */
const scopeOfType: Readonly<Record<string, Scope | null>> = {
  approvals: 'chat.view',
  conversation: 'chat.view',
  messages: 'chat.view',
  note: 'chat.view',
  notice: null,
  presence: 'chat.view',
  contact: 'contact.view',
  ticket: 'ticket.view',
  broadcast: 'broadcast.manage',
  macro: 'macro.view',
  template: 'template.view',
  workspace: 'workspace.manage',
};

/** A browser that listens. */
interface LiveClient {
  readonly res: Response;
  readonly workspaceId: number;
  readonly memberId: number;
  scopes: ReadonlySet<Scope>;
  /** The conversation that its page shows. */
  readonly watches: number | null;
  /** Where it stopped listening before; null: it has just begun. */
  readonly after: LivePosition | null;
  /** Returns what its session may see now; null: it is over. */
  look(): Promise<ReadonlySet<Scope> | null>;
}

interface Listening extends LiveClient {
  checkedAt: number;
}

interface Watched {
  position: LivePosition;
  /** What was told within the overlap, with the time it was. */
  readonly told: Map<string, { mark: string; at: number }>;
}

/** Tells browsers what changes in their workspaces: one look at the database for all of them. */
export class LiveHub {
  private readonly clients = new Set<Listening>();
  private readonly workspaces = new Map<number, Watched>();
  private readonly open = new Map<number, string>();
  /** What the members who listen were told of newest, by member. */
  private noticed = new Map<number, string>();
  /** Who was in which conversation at the last look, by workspace. */
  private present = new Map<number, ReadonlyMap<number, string>>();
  private timer: NodeJS.Timeout | undefined;
  private lastBeat = 0;

  constructor(
    private readonly runtime: Runtime,
    private readonly isStopping: () => boolean,
    private readonly maxClients = maxStreams,
  ) {}

  /**
   * Returns whether one more stream can be opened. When all are taken, the workspace with the most streams loses its
   * newest to a workspace that has fewer even then; the browser reconnects by itself, to another process or later.
   */
  makeRoom({ memberId, workspaceId }: Pick<LiveClient, 'memberId' | 'workspaceId'>): boolean {
    const clients = [...this.clients];
    if (clients.filter((client) => client.memberId === memberId).length >= maxPerMember) return false;
    if (clients.length < this.maxClients) return true;
    const counts = new Map<number, number>();
    for (const client of clients) counts.set(client.workspaceId, (counts.get(client.workspaceId) ?? 0) + 1);
    const largest = Math.max(...counts.values());
    if ((counts.get(workspaceId) ?? 0) + 1 >= largest) return false;
    const given = clients.findLast((client) => counts.get(client.workspaceId) === largest);
    if (given) this.remove(given);
    given?.res.end();
    return true;
  }

  /** Begins to tell a browser; ends when its connection does. */
  async add(client: LiveClient): Promise<void> {
    const listening: Listening = { ...client, checkedAt: Date.now() };
    // At once, so that many who begin at the same time are counted.
    this.clients.add(listening);
    client.res.on('close', () => this.remove(listening));
    const now = await readPosition(this.runtime);
    if (client.res.destroyed) return;
    if (!this.workspaces.has(client.workspaceId)) await this.watch(client.workspaceId, now);
    client.res.write('retry: 3000\n\n');
    if (client.after) await this.catchUp(listening, client.after, now);
    beat(listening, this.workspaces.get(client.workspaceId)?.position ?? now);
    this.schedule();
  }

  /** Begins to follow a workspace: what had changed by now is no news. */
  private async watch(workspaceId: number, position: LivePosition): Promise<void> {
    const { changes, now } = await readChanges(this.runtime, [{ workspaceId, ...position }], []);
    const told = new Map(
      changes.flatMap((change) =>
        change.mark === null ? [] : [[keyOf(change), { mark: change.mark, at: now.at.getTime() }] as const],
      ),
    );
    if (!this.workspaces.has(workspaceId)) this.workspaces.set(workspaceId, { position, told });
  }

  private remove(client: Listening): void {
    this.clients.delete(client);
    for (const id of this.workspaces.keys())
      if (![...this.clients].some(({ workspaceId }) => workspaceId === id)) this.workspaces.delete(id);
    for (const id of this.open.keys())
      if (![...this.clients].some(({ watches }) => watches === id)) this.open.delete(id);
  }

  private async catchUp(client: Listening, after: LivePosition, now: LivePosition): Promise<void> {
    const { workspaceId, watches } = client;
    const isLong = now.at.getTime() - after.at.getTime() > maxCatchUpMs;
    const open = watches === null ? [] : [{ workspaceId, conversationId: watches }];
    const { changes, notices, messages } = await readChanges(
      this.runtime,
      [{ workspaceId, ...(isLong ? now : after) }],
      open,
      [client],
    );
    // What changes from now on is news: the browser reads the messages after this.
    if (this.clients.has(client)) for (const { id, mark } of messages) if (!this.open.has(id)) this.open.set(id, mark);
    if (isLong || notices.some(({ at }) => isNews(at, after))) tell(client, { type: 'notice', id: 0 }, now);
    if (isLong || changes.length >= maxChanges) tell(client, { type: 'all', id: 0 }, now);
    else for (const change of distinct(changes)) tell(client, change, now);
    // Statuses leave no trace but themselves: what is open is read again.
    if (messages.some(({ at }) => isNews(at, after)) && watches !== null)
      tell(client, { type: 'messages', id: watches }, now);
  }

  private schedule(): void {
    if (this.timer !== undefined || this.clients.size === 0) return;
    this.timer = setTimeout(() => {
      this.look()
        .catch((error: unknown) =>
          this.runtime.logger.debug(
            { event: 'live.read_failed', errorName: error instanceof Error ? error.name : 'unknown' },
            'live changes could not be read',
          ),
        )
        .finally(() => {
          this.timer = undefined;
          this.schedule();
        });
    }, lookEveryMs);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    if (this.isStopping()) {
      // Browsers reconnect by themselves, to another process.
      for (const { res } of this.clients) res.end();
      return;
    }
    const questions = [...this.workspaces].map(([workspaceId, { position }]) => ({ workspaceId, ...position }));
    const open = [...this.clients].flatMap(({ workspaceId, watches }) =>
      watches === null ? [] : [{ workspaceId, conversationId: watches }],
    );
    const found = await readChanges(
      this.runtime,
      questions,
      [...new Map(open.map((one) => [one.conversationId, one])).values()],
      [...new Map([...this.clients].map((client) => [client.memberId, client])).values()],
    );
    for (const [workspaceId, watched] of this.workspaces) {
      const changes = found.changes.filter((change) => change.workspaceId === workspaceId);
      this.tellWorkspace(workspaceId, watched, changes, found.now);
    }
    this.tellPresence(found.presence);
    this.tellNotices(found.notices, found.now);
    for (const { workspaceId, id, mark } of found.messages) {
      const before = this.open.get(id);
      this.open.set(id, mark);
      const position = this.workspaces.get(workspaceId)?.position;
      if (before === undefined || before === mark || !position) continue;
      for (const client of this.clients)
        if (client.watches === id && client.workspaceId === workspaceId)
          tell(client, { type: 'messages', id }, position);
    }
    await this.keepAlive();
  }

  private tellWorkspace(
    workspaceId: number,
    watched: Watched,
    changes: readonly LiveChange[],
    now: LivePosition,
  ): void {
    const atMs = now.at.getTime();
    const fresh = changes.filter((change) => {
      const { mark } = change;
      const key = keyOf(change);
      if (mark === null) return true;
      if (watched.told.get(key)?.mark === mark) return false;
      watched.told.set(key, { mark, at: atMs });
      return true;
    });
    for (const [key, { at }] of watched.told) if (atMs - at > 3 * overlapMs) watched.told.delete(key);
    watched.position = now;
    const told = fresh.length >= maxChanges ? [{ type: 'all', id: 0 }] : distinct(fresh);
    for (const client of this.clients)
      if (client.workspaceId === workspaceId) for (const change of told) tell(client, change, watched.position);
  }

  /** Tells of each conversation that a member opened, began to write in or left since the last look. */
  private tellPresence(found: Awaited<ReturnType<typeof readChanges>>['presence']): void {
    const now = new Map<number, Map<number, string>>();
    for (const { workspaceId, id, mark } of found)
      now.set(workspaceId, (now.get(workspaceId) ?? new Map<number, string>()).set(id, mark));
    for (const client of this.clients) {
      const position = this.workspaces.get(client.workspaceId)?.position;
      const [before, after] = [this.present.get(client.workspaceId), now.get(client.workspaceId)];
      const ids = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
      for (const id of ids)
        if (position && before?.get(id) !== after?.get(id)) tell(client, { type: 'presence', id }, position);
    }
    this.present = now;
  }

  /** Tells members that there is something new for them. */
  private tellNotices(found: Awaited<ReturnType<typeof readChanges>>['notices'], now: LivePosition): void {
    const before = this.noticed;
    this.noticed = new Map(found.map(({ memberId, mark }) => [memberId, mark]));
    // Of a member who has just begun to listen, what is older was there when the page was made.
    const fresh = found.filter(({ memberId, mark, at }) => {
      const known = before.get(memberId);
      return known === undefined ? isNews(at, now) : known !== mark;
    });
    const news = new Set(fresh.map(({ memberId }) => memberId));
    for (const client of this.clients) {
      const position = this.workspaces.get(client.workspaceId)?.position;
      if (position && news.has(client.memberId)) tell(client, { type: 'notice', id: 0 }, position);
    }
  }

  /** Sends a sign of life on every stream, and ends the streams of sessions that are over. */
  private async keepAlive(): Promise<void> {
    const now = Date.now();
    if (now - this.lastBeat > beatEveryMs) {
      this.lastBeat = now;
      for (const client of this.clients) {
        const position = this.workspaces.get(client.workspaceId)?.position;
        if (position) beat(client, position);
      }
    }
    for (const client of [...this.clients].filter(({ checkedAt }) => now - checkedAt > checkEveryMs)) {
      client.checkedAt = now;
      const scopes = await client.look();
      if (scopes) client.scopes = scopes;
      else client.res.end();
    }
  }
}

/** Returns whether a row may not have been seen at a position: it carries the time at which its transaction began. */
const isNews = (at: Date, position: Pick<LivePosition, 'at'>): boolean =>
  at.getTime() > position.at.getTime() - overlapMs;

type Told = Pick<LiveChange, 'type' | 'id'>;

const keyOf = ({ type, id }: Told): string => `${type} ${id}`;

function distinct(changes: readonly LiveChange[]): Told[] {
  return [...new Map(changes.map((change) => [keyOf(change), change])).values()];
}

function tell(client: Listening, change: Told, at: LivePosition): void {
  const scope = scopeOfType[change.type];
  if (change.type !== 'all' && (scope === undefined || (scope !== null && !client.scopes.has(scope)))) return;
  const { type, id } = change;
  client.res.write(`id: ${writePosition(at)}\nevent: change\ndata: ${JSON.stringify({ type, id })}\n\n`);
}

function beat(client: Listening, at: LivePosition): void {
  client.res.write(`id: ${writePosition(at)}\nevent: beat\ndata: {}\n\n`);
}

/** Returns a position as the id of an event. */
export function writePosition(position: LivePosition): string {
  return `${position.at.getTime()}.${oldestOpen(position)}`;
}

/** Reads a position that a browser sends back; null when it is none. */
export function readPositionText(text: string | undefined): LivePosition | null {
  const [, at, oldest] = /^(\d{12,14})\.(\d{1,18})$/.exec(text ?? '') ?? [];
  return at === undefined || oldest === undefined ? null : { at: new Date(Number(at)), snapshot: snapshotFrom(oldest) };
}
