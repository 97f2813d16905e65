import { noSuchPk } from '../../../core/http/errors';
import { isPlainObject } from '../../../core/http/fields';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import type { Reason } from '../../../core/http/reasons';

type Json = Record<string, unknown>;

/** How a message names the flow that it carries. */
type FlowReference =
  | { readonly by: 'flow_id'; readonly value: string; readonly at: string }
  | { readonly by: 'name'; readonly value: string; readonly at: string };

/** Returns the flow that an interactive message's body names, or null. */
export function flowOfInteractive(body: unknown): FlowReference | null {
  const interactive = objectAt(body, 'interactive');
  if (interactive?.['type'] !== 'flow') return null;
  const parameters = objectAt(objectAt(interactive, 'action'), 'parameters');
  return (
    reference('flow_id', parameters?.['flow_id'], 'action.parameters.flow_id') ??
    reference('name', parameters?.['flow_name'], 'action.parameters.flow_name')
  );
}

/** Returns the flow that a button of a template opens, or null. */
export function flowOfTemplate(components: unknown): FlowReference | null {
  for (const component of objects(components)) {
    if (String(component['type']).toUpperCase() !== 'BUTTONS') continue;
    const button = objects(component['buttons']).find((item) => String(item['type']).toUpperCase() === 'FLOW');
    if (button) return flowOfButton(button);
  }
  return null;
}

/** Returns the flow that a button names, or null. */
export function flowOfButton(button: unknown): FlowReference | null {
  if (!isPlainObject(button)) return null;
  return reference('flow_id', button['flow_id'], 'button') ?? reference('name', button['flow_name'], 'button');
}

/** SQL: the button of a template's components that `flowOfTemplate` reads, for a message that is being sent. */
export const flowButtonSql = (components: string): string => `jsonb_path_query_first(${components},
  '$[*] ? (@.type like_regex "^buttons$" flag "i").buttons[*] ? (@.type like_regex "^flow$" flag "i")', '{}', true)`;

/** Returns every flow_token that an outbound message carries. */
export function flowTokensOf(body: unknown): string[] {
  const parameters = objectAt(objectAt(objectAt(body, 'interactive'), 'action'), 'parameters');
  const buttons = objects(objectAt(body, 'template')?.['components']).flatMap((component) =>
    objects(component['parameters']).map((parameter) => objectAt(parameter, 'action')?.['flow_token']),
  );
  return [parameters?.['flow_token'], ...buttons].filter(
    (token): token is string => typeof token === 'string' && token !== '',
  );
}

/** The upstream's id of the flow that is meant, when the account has it; null otherwise. */
export async function resolveFlow(ctx: Ctx, businessAccountPk: number, wanted: FlowReference): Promise<string | null> {
  const row = await of(ctx, ctx.runtime.db.models.Flow).findOne({
    attributes: ['flow_id'],
    where: { business_account_id: businessAccountPk, gone_at: null, [wanted.by]: wanted.value },
    order: [['id', 'ASC']],
    raw: true,
  });
  return row?.flow_id ?? null;
}

/** Why a message with this flow cannot be sent from the account, or null. */
export async function flowProblem(
  ctx: Ctx,
  businessAccountPk: number,
  wanted: FlowReference | null,
): Promise<Reason | null> {
  if (!wanted || (await resolveFlow(ctx, businessAccountPk, wanted)) !== null) return null;
  return noSuchPk(wanted.value).at(`${wanted.at}: `);
}

function reference(by: FlowReference['by'], value: unknown, at: string): FlowReference | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? { by, value: text, at } : null;
}

function objectAt(value: unknown, key: string): Json | null {
  const inner = isPlainObject(value) ? value[key] : undefined;
  return isPlainObject(inner) ? inner : null;
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isPlainObject) : [];
}
