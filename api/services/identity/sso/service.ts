import { literal, Op } from 'sequelize';
import type { SsoProviderRow } from '../../../../models';
import type { Ctx, WorkspaceCtx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { AppError, conflict, invalidField } from '../../../core/http/errors';
import { domainOfEmail } from '../../../core/http/fields';
import { webhookUrlProblem } from '../../../core/http/webhookClient';
import type { Runtime } from '../../../core/runtime';
import { decryptSecret, encryptSecret } from '../../../core/secrets';
import { hasFactor } from '../factors/service';
import { checkPermissions, getMember } from '../members/service';
import { endSessionsOf } from '../members/sessions';
import { forgetSubjects, hasSubject } from '../members/subjects';
import { reason } from '../reasons';

const maxDomain = 253;
const domainPattern = /^(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
/** Where providers send people back to; each workspace has an address of its own below it. */
export const ssoPath = '/dashboard/sign-in/sso/';

/** How a workspace signs in by its company's provider, without the client's secret. */
export interface SsoRecord extends Omit<SsoProviderRow, 'workspace_id' | 'domain' | 'sealed_secret' | 'updated_at'> {
  /** Null: the operator has given none, so nothing can be set up. */
  readonly domain: string | null;
  readonly has_client_secret: boolean;
  /** What the provider has to know of us. */
  readonly redirect_uri: string;
}

/** A provider that can be asked. */
export interface Provider {
  readonly workspaceId: number;
  readonly domain: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly newMember: { readonly role: 'admin' | 'agent'; readonly permissions: readonly string[] } | null;
  readonly requireFactor: boolean;
}

interface SsoChanges {
  /** Null: the provider is given up. */
  readonly issuer?: string | null | undefined;
  readonly client_id?: string | undefined;
  /** Null: a client without a secret. */
  readonly client_secret?: string | null | undefined;
  readonly new_member_role?: 'admin' | 'agent' | null | undefined;
  readonly new_member_permissions?: readonly string[] | undefined;
  readonly require_sso?: boolean | undefined;
  readonly require_factor_for_sso?: boolean | undefined;
}

const providers = (ctx: WorkspaceCtx) => of(ctx, ctx.runtime.db.models.SsoProvider);
const placeOf = (workspaceId: number): string => `sso_providers/${workspaceId}`;

/** Returns where the workspace's provider sends people back to: each workspace's leads elsewhere. */
export function redirectUriOf({ runtime, workspaceId }: WorkspaceCtx): string {
  return `${runtime.config.baseUrl}${ssoPath}${workspaceId}/`;
}

/** Returns how the workspace signs in. */
export async function getSso(ctx: Ctx): Promise<SsoRecord> {
  const row = await providers(ctx).findOne({ raw: true });
  return {
    domain: row?.domain ?? null,
    issuer: row?.issuer ?? null,
    client_id: row?.client_id ?? '',
    has_client_secret: (row?.sealed_secret ?? null) !== null,
    redirect_uri: redirectUriOf(ctx),
    new_member_role: row?.new_member_role ?? null,
    new_member_permissions: row?.new_member_permissions ?? [],
    require_sso: row?.require_sso ?? false,
    require_factor_for_sso: row?.require_factor_for_sso ?? false,
  };
}

/**
 * Sets the domain whose emails sign in to the workspace; only the operator decides that. Throws 409 when another
 * workspace has it.
 */
export async function setDomain(ctx: Ctx, given: string): Promise<void> {
  const domain = given.trim().toLowerCase();
  if (domain.length > maxDomain || !domainPattern.test(domain)) throw invalidField('domain', 'Enter a domain.');
  const known = await getSso(ctx);
  if (known.domain === domain) return;
  try {
    if (known.domain === null)
      await ctx.runtime.db.models.SsoProvider.create({ workspace_id: ctx.workspaceId, domain });
    else await providers(ctx).update({ domain, require_sso: false, updated_at: literal('now()') }, { where: {} });
  } catch (error) {
    if (isUniqueViolation(error, 'sso_providers_domain')) throw conflict(`${domain} belongs to another workspace.`);
    throw error;
  }
  await startAnew(ctx);
}

/** Takes the domain and the provider away. */
export async function removeSso(ctx: Ctx): Promise<void> {
  await providers(ctx).destroy({ where: {} });
  await startAnew(ctx);
}

/** Ends what came of a provider that is trusted no more. */
async function startAnew(ctx: Ctx): Promise<void> {
  await forgetSubjects(ctx);
  await endSessionsOf(ctx, 'sso');
}

/**
 * Changes what is given and leaves the rest; owners only, because the provider decides who every member is. The secret
 * of a client is never shown to another issuer.
 */
export async function updateSso(ctx: Ctx, changes: SsoChanges): Promise<SsoRecord> {
  const { runtime, actor } = ctx;
  const own = actor.memberId === null ? null : await getMember(ctx, actor.memberId);
  if (own && own.role !== 'owner') throw new AppError('forbidden', reason('onlyOwners'));
  const known = await getSso(ctx);
  if (known.domain === null) throw conflict(reason('ssoNoDomain'));
  const issuer = changes.issuer === undefined ? known.issuer : checkIssuer(runtime, changes.issuer);
  const isNew = issuer !== known.issuer;
  const secret = changes.client_secret === undefined && isNew ? null : changes.client_secret;
  const requireSso = issuer === null ? false : (changes.require_sso ?? (isNew ? false : known.require_sso));
  const requireFactor = changes.require_factor_for_sso ?? known.require_factor_for_sso;
  const permissions = changes.new_member_permissions && checkPermissions(changes.new_member_permissions);
  if (issuer !== null && (changes.client_id ?? known.client_id) === '')
    throw invalidField('client_id', reason('blank'));

  await runtime.db.transaction(async () => {
    if (isNew) await startAnew(ctx);
    if (requireSso && (isNew || !known.require_sso)) await checkWayBack(ctx);
    if (requireFactor && !known.require_factor_for_sso && own && !(await hasFactor(runtime, own.id)))
      throw conflict(reason('ownFactor'));
    await providers(ctx).update(
      {
        issuer,
        client_id: changes.client_id,
        sealed_secret: secret && encryptSecret(runtime.config.secretsKeys, secret, placeOf(ctx.workspaceId)),
        new_member_role: changes.new_member_role,
        new_member_permissions: permissions,
        require_sso: requireSso,
        require_factor_for_sso: requireFactor,
        updated_at: literal('now()'),
      },
      { where: {} },
    );
    if (requireSso && !known.require_sso) await endSessionsOf(ctx, 'password');
    if (requireFactor && !known.require_factor_for_sso) await endSessionsOf(ctx, 'sso');
  });
  return getSso(ctx);
}

function checkIssuer(runtime: Runtime, given: string | null): string | null {
  if (given === null || given.trim() === '') return null;
  const issuer = given.trim();
  const problem = webhookUrlProblem(issuer, runtime.config.webhookAllowPrivate);
  if (problem !== null) throw invalidField('issuer', problem);
  const { search, hash } = new URL(issuer);
  if (search !== '' || hash !== '') throw invalidField('issuer', reason('issuerPlain'));
  return issuer;
}

/** Throws the 409 of a workspace that would lock itself out with its provider. */
async function checkWayBack(ctx: Ctx): Promise<void> {
  if (ctx.actor.memberId !== null && !(await hasSubject(ctx))) throw conflict(reason('ssoTryFirst'));
  const owners = await of(ctx, ctx.runtime.db.models.Member).findAll({
    attributes: ['id'],
    where: { role: 'owner', is_active: true, password_hash: { [Op.ne]: null } },
    raw: true,
  });
  for (const { id } of owners) if (await hasFactor(ctx.runtime, id)) return;
  throw conflict(reason('ssoWayBack'));
}

/** Returns whether any workspace signs in by a provider. */
export async function usesSsoAnywhere({ db }: Runtime): Promise<boolean> {
  return (await db.models.SsoProvider.count({ where: { issuer: { [Op.ne]: null } } })) > 0;
}

/** Returns the provider of the workspace, or null. */
export async function providerOf(ctx: WorkspaceCtx): Promise<Provider | null> {
  return openProvider(ctx.runtime, await providers(ctx).findOne({ raw: true }));
}

/** Returns the provider of the workspace whose domain an email has, or null. */
export async function providerOfEmailAnywhere(runtime: Runtime, email: string): Promise<Provider | null> {
  const domain = domainOfEmail(email);
  // Crosses workspaces: the domain says whose it is.
  return openProvider(runtime, await runtime.db.models.SsoProvider.findOne({ where: { domain }, raw: true }));
}

function openProvider({ config }: Runtime, row: SsoProviderRow | null): Provider | null {
  if (!row || row.issuer === null) return null;
  const { workspace_id: workspaceId, domain, issuer, client_id: clientId, sealed_secret: sealed } = row;
  return {
    ...{ workspaceId, domain, issuer, clientId },
    clientSecret: sealed && decryptSecret(config.secretsKeys, sealed, placeOf(workspaceId)),
    newMember: row.new_member_role && { role: row.new_member_role, permissions: row.new_member_permissions },
    requireFactor: row.require_factor_for_sso,
  };
}

/** Encrypts the secrets of clients again with the current key. Returns how many it changed. */
export async function resealSsoAnywhere({ db, config: { secretsKeys: keys } }: Runtime): Promise<number> {
  const { SsoProvider } = db.models;
  let resealed = 0;
  // The installation's own key: all workspaces at once, like the operator who changes it.
  for (const row of await SsoProvider.findAll({ where: { sealed_secret: { [Op.ne]: null } }, raw: true })) {
    const place = placeOf(row.workspace_id);
    const anew = encryptSecret(keys, decryptSecret(keys, row.sealed_secret ?? '', place), place);
    // Only where no change has come between.
    const where = { workspace_id: row.workspace_id, sealed_secret: row.sealed_secret };
    resealed += (await SsoProvider.update({ sealed_secret: anew }, { where }))[0];
  }
  return resealed;
}
