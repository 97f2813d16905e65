import { isPlainObject } from '../../core/http/fields';
import type { Page } from '../../core/http/operations';
import type { AnswerOf } from '../../core/http/shapes';
import { allMembers, namesOf } from '../../services/identity/members/service';
import type { TeamMember } from '../../services/identity/members/serializer';
import type { TeamInbox } from '../../services/resources/inboxes/serializer';
import { inboxNames } from '../../services/resources/inboxes/service';
import { messageShape } from '../../services/resources/messages/serializer';
import type { PageRequest } from './page';
import { readPage } from './typedCalls';

export type Json = Record<string, unknown>;

export interface Named {
  readonly id: number;
  readonly name: string;
}

export interface Template {
  readonly template_id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly status: string;
  readonly components: unknown;
  readonly msgapp_account_id: string;
}

export interface CustomField extends Named {
  readonly label: string;
  readonly field_type: string;
  readonly applies_to: readonly string[];
  readonly options: readonly string[] | null;
}

interface Pipeline extends Named {
  readonly stages: readonly (Named & { readonly notify_template_name: string | null })[];
}

/** Members and team inboxes that a conversation can be given to. */
export interface Team {
  readonly members: readonly Pick<TeamMember, 'id' | 'name' | 'email'>[];
  /** Those of them who may answer customers: whom a conversation is offered to be assigned to. */
  readonly answerers: Team['members'];
  readonly inboxes: readonly Pick<TeamInbox, 'id' | 'name'>[];
}

export interface PhoneNumber {
  readonly phone_number_id: string;
  readonly display_phone_number: string;
  readonly verified_name: string;
  readonly msgapp_business_account_id: string;
}

interface Member extends Named {
  readonly email: string;
  readonly role: string;
  readonly is_active: boolean;
  readonly team_inboxes: readonly number[];
  readonly created_at: string;
}

/** What those may do whom a conversation is offered to be given to: with anybody else it would wait. */
const answering = 'chat.send_message';

/** Loads who a conversation can be given to; without permission to see the team, the member alone. */
export async function loadTeam(page: PageRequest): Promise<Team> {
  const { id, name, email } = page.member;
  const [members, inboxes] = await Promise.all([
    page.may('teamMembers.list')
      ? allMembers(page.ctx, answering).then((all) => all.filter(({ is_active: isActive }) => isActive))
      : [{ id, name, email, holds: page.can(answering) }],
    page.callIfPermitted<Team['inboxes']>('teamInboxes.list', {}, []),
  ]);
  return { members, answerers: members.filter(({ holds }) => holds), inboxes };
}

const noPage = { items: [] };
const everybody = { page_size: 200, count: false };

/** Returns the members, where the member may see them. */
export async function loadMembers(page: PageRequest): Promise<readonly Member[]> {
  return (await page.callIfPermitted<Pick<Page<Member>, 'items'>>('teamMembers.list', everybody, noPage)).items;
}

/** Returns what members are called, by their ids. */
export function memberNames(members: Team['members']): ReadonlyMap<number, string> {
  return new Map(members.map(({ id, name, email }) => [id, name || email]));
}

/** Returns the team inboxes, where the member may see them. */
export function loadInboxes(page: PageRequest): Promise<readonly Named[]> {
  return page.callIfPermitted<readonly Named[]>('teamInboxes.list', {}, []);
}

/** What members and team inboxes are called, by their ids. */
interface Names {
  readonly members: ReadonlyMap<unknown, string>;
  readonly inboxes: ReadonlyMap<unknown, string>;
}

/**
 * Returns the names of all. They need no permission: whoever may see what is given to somebody is told the name there,
 * over REST, too.
 */
export async function loadNames({ ctx }: PageRequest): Promise<Names> {
  const [members, inboxes] = await Promise.all([namesOf(ctx), inboxNames(ctx)]);
  return { members, inboxes };
}

/** Returns the templates that can be sent, where the member may see them. */
export async function loadTemplates(page: PageRequest): Promise<readonly Template[]> {
  const query = { status: 'APPROVED', page_size: 200 };
  return (await page.callIfPermitted<Pick<Page<Template>, 'items'>>('templates.list', query, noPage)).items;
}

/** Returns the custom fields, where the member may see them. */
export function loadFields(page: PageRequest): Promise<readonly CustomField[]> {
  return page.callIfPermitted<readonly CustomField[]>('customFields.list', {}, []);
}

/** Returns the pipelines with their stages, where the member may see them. */
function loadPipelines(page: PageRequest): Promise<readonly Pipeline[]> {
  return page.callIfPermitted<readonly Pipeline[]>('ticketPipelines.list', {}, []);
}

/** Returns the numbers of the workspace, where the member may see them. */
export function loadNumbers(page: PageRequest): Promise<readonly PhoneNumber[]> {
  return page.callIfPermitted<readonly PhoneNumber[]>('phoneNumbers.list', {}, []);
}

/** The objects that the steps of macros and the calls of agents refer to. */
export interface Lookups {
  readonly members: Team['members'];
  /** Those who may answer customers. */
  readonly answerers: Team['members'];
  readonly inboxes: readonly Named[];
  readonly names: Names;
  readonly templates: readonly Template[];
  readonly fields: readonly CustomField[];
  readonly pipelines: readonly Pipeline[];
  /** Writes a moment by the clocks of the workspace; empty for what is none. */
  readonly moment: (at: string) => string;
}

/** Returns all of them at once. Whom and what a member may see is offered; what all are called is read with it. */
export async function loadLookups(page: PageRequest): Promise<Lookups> {
  const [everybody, inboxNamed, templates, fields, pipelines] = await Promise.all([
    allMembers(page.ctx, answering),
    inboxNames(page.ctx),
    loadTemplates(page),
    loadFields(page),
    loadPipelines(page),
  ]);
  const members = page.may('teamMembers.list') ? everybody : [];
  const answerers = members.filter(({ holds }) => holds);
  const inboxes = page.may('teamInboxes.list') ? [...inboxNamed].map(([id, name]) => ({ id, name })) : [];
  const names = { members: memberNames(everybody), inboxes: inboxNamed };
  return { members, answerers, inboxes, names, templates, fields, pipelines, moment: (at) => page.moment(at) };
}

/** Returns the objects of a list that came as JSON. */
export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** Returns a value of JSON as text: what is no text as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

/** A message as its operations give it. */
export type Message = AnswerOf<typeof messageShape>;

/** Returns so many messages of a conversation, the newest first. */
export async function newestMessages(page: PageRequest, receiver: string, limit: number): Promise<readonly Message[]> {
  const query = { receiver_id: receiver, page_size: limit, count: false };
  return (await readPage(page, messageShape, 'messages.list', query)).items;
}
