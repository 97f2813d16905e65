import { randomUUID } from 'node:crypto';
import { Transaction } from 'sequelize';
import { consentableScopes, isScope, memberScopes, type Scope } from '../../../core/http/access';
import { AppError, trialExpired } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { of } from '../../../core/db/scoped';
import { credentialCtx, type Credential } from '../apiKeys/authenticate';
import { recordSecurity } from '../securityLog/service';
import { getWorkspace } from '../workspaces/service';
import { findClientAnywhere, type ClientRecord, type StoredClient } from './clients';
import { issueCode } from './exchange';
import { resourceOf } from './grants';
import type { RevokedReason } from './model';
import { OAuthRefusal } from './refusal';
import { reason } from '../reasons';

/** A member has this long to sign in and decide. */
const requestMs = 30 * 60_000;
const maxState = 4_096;

/** Parameters of an authorization request whose client and redirect URI are known to be right. */
interface AuthorizationRequest {
  readonly responseType: string | null;
  readonly responseMode: string | null;
  readonly scope: string | null;
  readonly state: string | null;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: string | null;
  readonly resource: string | null;
}

/**
 * Checks an authorization request (RFC 6749 section 4.1.1, RFC 7636, RFC 8707) and keeps it: the code is issued from
 * what is stored here, never from what a browser brings back. Throws an OAuthRefusal that goes back to the client.
 */
export async function openRequest(
  runtime: Runtime,
  client: ClientRecord,
  redirectUri: string,
  asked: AuthorizationRequest,
): Promise<string> {
  if (asked.responseType === null) throw new OAuthRefusal('invalid_request', 'response_type is required.');
  if (asked.responseType !== 'code')
    throw new OAuthRefusal('unsupported_response_type', 'Only response_type=code is offered.');
  if (asked.responseMode !== null && asked.responseMode !== 'query')
    throw new OAuthRefusal('invalid_request', 'Only response_mode=query is offered.');
  if (asked.codeChallenge === null)
    throw new OAuthRefusal('invalid_request', 'PKCE is required: code_challenge is missing.');
  if (asked.codeChallengeMethod !== 'S256')
    throw new OAuthRefusal('invalid_request', 'PKCE is required with code_challenge_method=S256.');
  if (!/^[A-Za-z0-9_-]{43}$/.test(asked.codeChallenge))
    throw new OAuthRefusal('invalid_request', 'code_challenge must be the base64url text of a SHA-256, 43 characters.');
  if (
    asked.state !== null &&
    (asked.state.length > maxState || asked.state.includes('\0') || !asked.state.isWellFormed())
  )
    throw new OAuthRefusal('invalid_request', 'state is too long or not text.');
  if (asked.resource !== null && asked.resource !== resourceOf(runtime))
    throw new OAuthRefusal('invalid_target', `The only resource is ${resourceOf(runtime)}.`);

  const scopes = asked.scope === null ? consentableScopes : readScopes(asked.scope);
  const id = randomUUID();
  await runtime.db.models.OauthRequest.create({
    id,
    client_pk: client.id,
    session_id: null,
    redirect_uri: redirectUri,
    scopes: [...scopes],
    state: asked.state,
    code_challenge: asked.codeChallenge,
    resource: resourceOf(runtime),
    decided_at: null,
    expires_at: new Date(Date.now() + requestMs),
  });
  return id;
}

/**
 * Returns the scopes that a request names; throws `invalid_scope` on one that cannot be consented to (contract 11.4).
 */
function readScopes(text: string): readonly Scope[] {
  const names = text.split(' ').filter((name) => name !== '');
  const unknown = names.find((name) => !isScope(name) || !consentableScopes.includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new OAuthRefusal('invalid_scope', `The scopes are ${consentableScopes.join(', ')}.`);
  return consentableScopes.filter((scope) => names.includes(scope));
}

interface RequestRow {
  client_id: string;
  client_name: string;
  metadata_url: string | null;
  workspace_id: number;
  redirect_uri: string;
  scopes: string[];
  state: string | null;
  code_challenge: string;
  resource: string;
}

/** What the consent page shows. */
export interface ConsentView {
  readonly id: string;
  readonly clientName: string;
  /** Whose document describes the client; null where a member did. */
  readonly clientHost: string | null;
  readonly redirectUri: string;
  readonly workspaceName: string;
  readonly memberName: string;
  readonly memberEmail: string;
  /** The requested scopes; those that the member does not hold cannot be granted. */
  readonly scopes: readonly { readonly name: Scope; readonly held: boolean }[];
}

const gone = (): AppError => new AppError('not_found', reason('consentOver'));
const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
const requestColumns = `c.client_id, c.name AS client_name, c.metadata_url, c.workspace_id, r.redirect_uri, r.scopes,
  r.state, r.code_challenge, r.resource`;
const openCondition = 'c.id = r.client_pk AND c.disabled_at IS NULL AND r.decided_at IS NULL AND r.expires_at > now()';

/**
 * Returns the request as this session's member sees it. The session that opened it last is the only one that can answer
 * it: signing in as another member on the way takes it along.
 */
export async function viewRequest(runtime: Runtime, session: Credential, id: string): Promise<ConsentView> {
  if (!isUuid(id)) throw gone();
  const { db } = runtime;
  // A document may be registered in several workspaces: who signs in says which registration is meant.
  await db.rows(
    `UPDATE oauth_requests r SET client_pk = own.id
     FROM oauth_clients c JOIN oauth_clients own ON own.metadata_url = c.metadata_url
     WHERE r.id = $id::uuid AND c.id = r.client_pk AND r.decided_at IS NULL AND own.workspace_id = $workspaceId
       AND own.disabled_at IS NULL AND r.redirect_uri = ANY (own.redirect_uris) AND own.id <> c.id`,
    { id, workspaceId: session.workspaceId },
  );
  const found = await db.row<RequestRow>(
    `SELECT ${requestColumns}
     FROM oauth_requests r JOIN oauth_clients c ON ${openCondition}
     WHERE r.id = $id::uuid`,
    { id },
  );
  if (!found) throw gone();
  refuseOtherWorkspace(session, found);

  await db.models.OauthRequest.update({ session_id: session.id }, { where: { id } });
  const member = await of(session, db.models.Member).findOne({
    attributes: ['name', 'email'],
    where: { id: session.memberId },
    raw: true,
  });
  if (!member) throw gone();
  const workspace = await getWorkspace({ runtime, workspaceId: session.workspaceId });
  return {
    id,
    clientName: found.client_name,
    clientHost: found.metadata_url === null ? null : new URL(found.metadata_url).host,
    redirectUri: found.redirect_uri,
    workspaceName: workspace.name,
    memberName: member.name,
    memberEmail: member.email,
    scopes: consentableScopes
      .filter((scope) => found.scopes.includes(scope))
      .map((name) => ({ name, held: session.scopes.has(name) })),
  };
}

function refuseOtherWorkspace(session: Credential, request: { workspace_id: number }): void {
  if (session.workspaceId !== request.workspace_id) throw new AppError('forbidden', reason('consentElsewhere'));
  if (session.trialExpired) throw trialExpired();
}

/** Where the browser goes after a decision; without a code the member has denied. */
interface Decision {
  readonly redirectUri: string;
  readonly state: string | null;
  readonly code: string | null;
}

/**
 * Answers a request once, in the session that opened it last. What is granted is the chosen part of what was requested
 * and of what the member holds now (contract 11.4); nothing of it is a denial.
 */
export async function decide(
  runtime: Runtime,
  session: Credential,
  id: string,
  chosen: readonly string[],
  from: { readonly requestId: string; readonly address: string },
): Promise<Decision> {
  if (!isUuid(id)) throw gone();
  const { db } = runtime;
  return db.transaction(async () => {
    // A guarded claim: of two answers one finds the request undecided.
    const request = await db.row<RequestRow>(
      `UPDATE oauth_requests r SET decided_at = now()
       FROM oauth_clients c
       WHERE ${openCondition} AND r.id = $id::uuid AND r.session_id = $sessionId
       RETURNING ${requestColumns}`,
      { id, sessionId: session.id },
    );
    if (!request) throw gone();
    refuseOtherWorkspace(session, request);

    const answer = { redirectUri: request.redirect_uri, state: request.state };
    const scopes = await grantable(runtime, session, request, chosen);
    if (scopes.length === 0) return { ...answer, code: null };
    const client = await findClientAnywhere(runtime, request.client_id);
    if (!client) throw gone();
    const consent = await addConsent(runtime, session, client, request, scopes);
    await recordSecurity(credentialCtx(runtime, session, from.requestId, from.address), {
      action: 'connectedAgents.connect',
      subjectId: consent.grantId,
      given: { client_id: request.metadata_url ?? request.client_id, scopes },
    });
    return {
      ...answer,
      code: await issueCode(runtime, client, {
        redirectUri: request.redirect_uri,
        codeChallenge: request.code_challenge,
        scopes,
        ...consent,
      }),
    };
  });
}

/**
 * Returns what is granted; the member is locked, so that a permission taken away now is seen here or sees this grant.
 */
async function grantable(
  runtime: Runtime,
  session: Credential,
  request: RequestRow,
  chosen: readonly string[],
): Promise<Scope[]> {
  const member = await of(session, runtime.db.models.Member).findOne({
    attributes: ['role', 'permissions'],
    where: { id: session.memberId, is_active: true },
    lock: Transaction.LOCK.SHARE,
    raw: true,
  });
  if (!member) throw gone();
  const held = memberScopes(member.role, member.permissions);
  return consentableScopes.filter(
    (scope) => request.scopes.includes(scope) && chosen.includes(scope) && held.includes(scope),
  );
}

/**
 * Adds a family of tokens to the connection of client and member, which there is once: its scopes become those of this
 * consent, its autonomy stays, also where the reuse of a token ended the connection within the last 90 days. SQL: of
 * two consents at the same time the second finds the row of the first.
 */
async function addConsent(
  runtime: Runtime,
  session: Credential,
  client: StoredClient,
  request: RequestRow,
  scopes: readonly Scope[],
): Promise<{ readonly grantId: number; readonly familyId: number }> {
  const grant = await runtime.db.row<{ id: number }>(
    `INSERT INTO oauth_grants (workspace_id, member_id, client_pk, scopes, resource, autonomy)
     SELECT $workspaceId, $memberId, $clientPk, $scopes::text[], $resource, coalesce((
       SELECT CASE WHEN g.revoked_reason = $reuse AND g.revoked_at > now() - interval '90 days' THEN g.autonomy END
       FROM oauth_grants g WHERE g.client_pk = $clientPk AND g.member_id = $memberId ORDER BY g.id DESC LIMIT 1),
       'approval')
     ON CONFLICT (client_pk, member_id) WHERE (revoked_at IS NULL)
     DO UPDATE SET scopes = excluded.scopes, resource = excluded.resource
     RETURNING id`,
    {
      workspaceId: session.workspaceId,
      memberId: session.memberId,
      clientPk: client.id,
      scopes: [...scopes],
      resource: request.resource,
      reuse: 'refresh_token_reuse' satisfies RevokedReason,
    },
  );
  if (!grant) throw new Error('an upsert returns its row');
  const family = await runtime.db.models.OauthFamily.create({ grant_id: grant.id, scopes: [...scopes] });
  return { grantId: grant.id, familyId: family.id };
}
