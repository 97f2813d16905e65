import { cut } from '../../core/text/cut';
import type { Scope } from '../../core/http/access';
import type { Ctx } from '../../core/context';
import { Fault } from '../../core/http/fields';
import { listColleagues } from '../../services/identity/members/directory';
import { listInboxes } from '../../services/resources/inboxes/service';
import { listMacros } from '../../services/resources/macros/service';
import { listPipelines } from '../../services/resources/pipelines/queries';
import { findTicket } from '../../services/resources/tickets/queries';
import { templateNames } from '../../services/resources/templates/service';
import { visible } from './present';

/** Something that an argument can name. */
interface Named {
  readonly id: number | string;
  /** What tells it from another of its name: pipeline, language. */
  readonly of?: string;
  readonly pipeline?: number;
  readonly name: string;
  readonly email?: string;
  /** Of a template. */
  readonly status?: string;
}

export type Kind = 'member' | 'team inbox' | 'macro' | 'pipeline' | 'stage' | 'template';

/** Arguments that name one of them (or a list of them), by whatever tool takes them. */
export const kinds: Readonly<Record<string, Kind>> = {
  assigned_member: 'member',
  assigned_to: 'member',
  watcher_ids: 'member',
  assigned_team_inbox: 'team inbox',
  assigned_inbox: 'team inbox',
  macro_id: 'macro',
  pipeline: 'pipeline',
  stage: 'stage',
  template_id: 'template',
};

/** Who assigns work must be able to name those who get it; who only reads needs the scope of the list. */
const lookups: Readonly<
  Record<Kind, { readonly scopes: readonly Scope[]; list(ctx: Ctx): Promise<readonly Named[]> }>
> = {
  member: { scopes: ['team.view', 'chat.assign', 'ticket.manage'], list: listColleagues },
  'team inbox': { scopes: ['inbox.view', 'chat.assign', 'ticket.manage'], list: listInboxes },
  macro: { scopes: ['macro.view'], list: listMacros },
  pipeline: { scopes: ['ticket.view', 'ticket.manage'], list: listPipelines },
  stage: { scopes: ['ticket.view', 'ticket.manage'], list: listStages },
  template: { scopes: ['template.view', 'chat.send_message'], list: listTemplates },
};

/** Of what is offered in place of a wrong reference; the rest is counted. */
export const maxOffered = 10;
/** Of the wrong names in one argument. */
const maxTold = 20;

async function listStages(ctx: Ctx): Promise<Named[]> {
  return (await listPipelines(ctx)).flatMap(({ id: pipeline, name: of, stages }) =>
    stages.map(({ id, name }) => ({ id, name, of, pipeline })),
  );
}

async function listTemplates(ctx: Ctx): Promise<Named[]> {
  const templates = await templateNames(ctx);
  return templates.map(({ template_id: id, name, language: of, status }) => ({ id, name, of, status }));
}

/** Returns everything of a kind that the connection may name; null where its scopes do not reach. */
export async function listNamed(ctx: Ctx, kind: Kind): Promise<readonly Named[] | null> {
  const { scopes, list } = lookups[kind];
  if (!scopes.some((scope) => ctx.scopes.has(scope))) return null;
  return list(ctx);
}

/**
 * Returns the arguments with names, first names of members, `me` and emails replaced by ids, or what is wrong with
 * them: a name that fits nothing, or fits two, is answered with those that it could mean. Of stages of one name, a
 * ticket is moved to that of its board.
 */
export async function resolveNames(
  ctx: Ctx,
  args: Readonly<Record<string, unknown>>,
): Promise<{ readonly args: Record<string, unknown> } | { readonly faults: Record<string, string[]> }> {
  const resolved: Record<string, unknown> = { ...args };
  const faults: Record<string, string[]> = {};
  const known = new Map<Kind, readonly Named[] | null>();
  const { id: ticket, stage, pipeline } = args;
  const moves = isName(stage) && pipeline === undefined && typeof ticket === 'number';
  const board = moves ? (await findTicket(ctx, ticket)).pipeline_id : undefined;
  for (const [argument, kind] of Object.entries(kinds)) {
    const given = Object.hasOwn(args, argument) ? args[argument] : undefined;
    const names = (Array.isArray(given) ? given : [given]).filter(isName);
    if (names.length === 0) continue;
    if (!known.has(kind)) known.set(kind, await listNamed(ctx, kind));
    const candidates = within(kind, known.get(kind) ?? null, resolved['pipeline']);
    const index = indexOf(candidates ?? []);
    const told: string[] = [];
    const idOf = (value: unknown): unknown => {
      if (!isName(value) || told.length >= maxTold) return value;
      if (kind === 'member' && fold(value) === 'me' && ctx.actor.memberId !== null) return ctx.actor.memberId;
      const found =
        candidates === null ? new Fault(cannotLook(kind)) : match(ctx, kind, { candidates, index }, value, board);
      if (!(found instanceof Fault)) return found;
      told.push(...found.messages);
      faults[argument] = told;
      return undefined;
    };
    resolved[argument] = Array.isArray(given) ? given.map(idOf) : idOf(given);
  }
  return Object.keys(faults).length > 0 ? { faults } : { args: resolved };
}

/** Of pipelines that are named beside it, a stage is one of their own. */
export function within(kind: Kind, candidates: readonly Named[] | null, pipeline: unknown): readonly Named[] | null {
  if (kind !== 'stage' || candidates === null || pipeline === undefined) return candidates;
  const ids = [pipeline].flat().map(Number);
  const own = candidates.filter((stage) => stage.pipeline !== undefined && ids.includes(stage.pipeline));
  return own.length > 0 ? own : candidates;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== 'none' && !/^\s*\d+\s*$/.test(value);
}

function cannotLook(kind: Kind): string {
  const scopes = lookups[kind].scopes.join(', ');
  return `Give the id of the ${kind}: this connection has none of the scopes that look names up (${scopes}).`;
}

/** What names of a kind can mean: all, and by their names and emails. */
interface Meanings {
  readonly candidates: readonly Named[];
  readonly index: ReadonlyMap<string, readonly Named[]>;
}

function indexOf(candidates: readonly Named[]): Meanings['index'] {
  const index = new Map<string, Named[]>();
  for (const candidate of candidates)
    for (const key of new Set([candidate.name, candidate.email ?? candidate.name].map(fold))) {
      const same = index.get(key);
      if (same) same.push(candidate);
      else index.set(key, [candidate]);
    }
  return index;
}

function match(
  ctx: Ctx,
  kind: Kind,
  { candidates, index }: Meanings,
  reference: string,
  board?: number,
): Named['id'] | Fault {
  const wanted = fold(reference);
  const named = index.get(wanted) ?? (kind === 'member' ? firstNamed(candidates, wanted) : []);
  const own = named.filter(({ pipeline }) => pipeline !== undefined && pipeline === board);
  const fitting = own.length > 0 ? own : named;
  const [only] = fitting;
  if (only && fitting.length === 1) return only.id;
  const shown = `"${cut(visible(reference), 100)}"`;
  if (fitting.length > 1) return new Fault(`${shown} is the name of several. Give the id: ${offered(ctx, fitting)}.`);
  if (candidates.length === 0) return new Fault(`No ${kind} ${shown}: this workspace has none.`);
  const near = candidates.filter(({ name }) => wanted !== '' && fold(name).includes(wanted));
  const choices = offered(ctx, near.length > 0 ? near : candidates);
  return new Fault(`No ${kind} ${shown}. Give the id or the exact name of one of: ${choices}.`);
}

/** Returns members whose first name this is. */
function firstNamed(candidates: readonly Named[], wanted: string): readonly Named[] {
  return wanted === '' ? [] : candidates.filter(({ name }) => fold(name).split(/\s+/u)[0] === wanted);
}

function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

function offered(ctx: Ctx, candidates: readonly Named[]): string {
  const shown = candidates
    .slice(0, maxOffered)
    .map((candidate) => shownNamed(ctx, candidate))
    .join(', ');
  return candidates.length > maxOffered ? `${shown} and ${candidates.length - maxOffered} more` : shown;
}

/**
 * Returns one of them in a list: name and id, and the email of a colleague where the connection may read the team list.
 */
export function shownNamed(ctx: Ctx, { id, name, email, of }: Named): string {
  const more = [of && quoted(of), email && ctx.scopes.has('team.view') && visible(email)].filter(Boolean);
  return `${quoted(name)} (${[`id ${id}`, ...more].join(', ')})`;
}

/** Returns a name for a text for agents: on one line, shortened, and marked as a name. */
export function quoted(name: string): string {
  const line = visible(name).replace(/\s+/g, ' ').trim();
  return JSON.stringify(line.length > 60 ? `${cut(line, 60)}…` : line);
}
