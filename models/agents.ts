import {
  bigint,
  boolean,
  bytes,
  id,
  integer,
  json,
  key,
  longText,
  now,
  orNull,
  ref,
  text,
  texts,
  time,
  uuid,
} from './columns';
import type { StoredAction } from './macros';
import { defineTable, type RowOf } from './table';

/** An API key: SHA-256 of the secret, granted scopes, agent autonomy. */
const apiKeyColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  member_id: ref('members', 'cascade'),
  name: text(255),
  prefix: text(40),
  secret_hash: bytes(),
  scopes: texts([]),
  autonomy: text<'draft' | 'approval' | 'autonomous'>(16, 'autonomous'),
  created_at: now(),
  last_used_at: orNull(time()),
  expires_at: orNull(time()),
  revoked_at: orNull(time()),
  /** Addresses and networks that may use it; none: all. */
  allowed_addresses: texts([]),
  /** Whether it reads what members write for each other. */
  notes: boolean(false),
};

/** Columns of a row of `api_keys`. */
export type ApiKeyRow = RowOf<typeof apiKeyColumns>;

/** Binds the table `api_keys`. */
export const apiKeyTable = defineTable('ApiKey', 'api_keys', apiKeyColumns);

/** A pre-registered OAuth client of a workspace; only the hash of its secret is stored. */
const oauthClientColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  client_id: text(64),
  name: text(255),
  client_type: text<'public' | 'confidential'>(16),
  secret_hash: orNull(bytes()),
  redirect_uris: texts(),
  metadata_url: orNull(longText()),
  created_at: now(),
  disabled_at: orNull(time()),
};

/** Columns of a row of `oauth_clients`. */
export type OauthClientRow = RowOf<typeof oauthClientColumns>;

/** Binds the table `oauth_clients`. */
export const oauthClientTable = defineTable('OauthClient', 'oauth_clients', oauthClientColumns);

/** A validated authorization request that waits for sign-in and consent. */
const oauthRequestColumns = {
  id: key(uuid()),
  client_pk: ref('oauth_clients', 'cascade'),
  session_id: orNull(ref('sessions', 'cascade')),
  redirect_uri: longText(),
  scopes: texts(),
  state: orNull(longText()),
  code_challenge: text(43),
  resource: longText(),
  decided_at: orNull(time()),
  expires_at: time(),
  created_at: now(),
};

/** Binds the table `oauth_requests`. */
export const oauthRequestTable = defineTable('OauthRequest', 'oauth_requests', oauthRequestColumns);

/** An authorization code, stored as its SHA-256 hash; it can be used once. */
const oauthCodeColumns = {
  code_hash: key(bytes()),
  grant_id: ref('oauth_grants', 'cascade'),
  /** Null only in rows of a former version, which had no families: such a code is not found any more. */
  family_id: orNull(ref('oauth_families', 'cascade')),
  client_pk: ref('oauth_clients', 'cascade'),
  redirect_uri: longText(),
  code_challenge: text(43),
  expires_at: time(),
  used_at: orNull(time()),
};

/** Binds the table `oauth_codes`. */
export const oauthCodeTable = defineTable('OauthCode', 'oauth_codes', oauthCodeColumns);

/** What a member granted to a client: codes and tokens hang on it. */
const oauthGrantColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  member_id: ref('members', 'cascade'),
  client_pk: ref('oauth_clients', 'cascade'),
  scopes: texts(),
  resource: longText(),
  autonomy: text<'draft' | 'approval' | 'autonomous'>(16, 'approval'),
  created_at: now(),
  last_used_at: orNull(time()),
  revoked_at: orNull(time()),
  revoked_reason: orNull(text(64)),
  /** The networks that it may be used from; empty: all. */
  allowed_addresses: texts([]),
  /** Those that it was used from, so that a new one is told. */
  networks: texts([]),
};

/** Binds the table `oauth_grants`. */
export const oauthGrantTable = defineTable('OauthGrant', 'oauth_grants', oauthGrantColumns);

/** One consent of a connection: the code and the tokens that came of it, which end together. */
const oauthFamilyColumns = {
  id: id(),
  grant_id: ref('oauth_grants', 'cascade'),
  scopes: texts(),
  created_at: now(),
  revoked_at: orNull(time()),
  revoked_reason: orNull(text(64)),
};

/** Binds the table `oauth_families`. */
export const oauthFamilyTable = defineTable('OauthFamily', 'oauth_families', oauthFamilyColumns);

/** An access token by its SHA-256, with the refresh token that it came with. */
const oauthAccessTokenColumns = {
  id: id(),
  token_hash: bytes(),
  grant_id: ref('oauth_grants', 'cascade'),
  /** Null only where the version before wrote it, which knew no families: it is as good as revoked. */
  family_id: orNull(ref('oauth_families', 'cascade')),
  scopes: texts(),
  refresh_token_id: orNull(ref('oauth_refresh_tokens', 'cascade')),
  expires_at: time(),
  revoked_at: orNull(time()),
  created_at: now(),
};

/** Binds the table `oauth_access_tokens`. */
export const oauthAccessTokenTable = defineTable('OauthAccessToken', 'oauth_access_tokens', oauthAccessTokenColumns);

/** A refresh token by its SHA-256; `rotated_at` tells that it was used. */
const oauthRefreshTokenColumns = {
  id: id(),
  token_hash: bytes(),
  grant_id: ref('oauth_grants', 'cascade'),
  /** Null only where the version before wrote it, which knew no families: it is as good as revoked. */
  family_id: orNull(ref('oauth_families', 'cascade')),
  expires_at: time(),
  rotated_at: orNull(time()),
  created_at: now(),
};

/** Binds the table `oauth_refresh_tokens`. */
export const oauthRefreshTokenTable = defineTable(
  'OauthRefreshToken',
  'oauth_refresh_tokens',
  oauthRefreshTokenColumns,
);

/** A call of an agent that waits for a member's decision. */
const approvalColumns = {
  id: id(),
  workspace_id: ref('workspaces', 'cascade'),
  connection_kind: text<'api_key' | 'oauth' | 'rule'>(8),
  connection_id: bigint(),
  connection_name: text(255, ''),
  member_id: orNull(ref('members', 'set null')),
  autonomy: text<'draft' | 'approval'>(16),
  tool: text(64),
  call_kind: text<'message' | 'macro' | 'ticket'>(16),
  input: json<Record<string, unknown>>(),
  status: text<'pending' | 'approved' | 'rejected' | 'expired'>(16, 'pending'),
  expires_at: orNull(time()),
  decided_by: orNull(ref('members', 'set null')),
  decided_at: orNull(time()),
  result: orNull(json()),
  /** Why it was rejected. */
  note: orNull(text(500)),
  request_id: orNull(text(128)),
  macro_name: orNull(text(255)),
  /** Steps of a parked macro, as the member sees them. */
  steps: orNull(json<readonly StoredAction[]>()),
  /** What the call sends, frozen when it was parked. */
  frozen: json<readonly unknown[]>([]),
  /** Of all that is done when it is approved. */
  digest: text(64, ''),
  run_id: orNull(ref('macro_runs', 'set null')),
  /** Raised by whatever moves or stops the timer of the expiry. */
  timer_version: integer(1),
  created_at: now(),
};

/** Columns of a row of `approvals`. */
export type ApprovalRow = RowOf<typeof approvalColumns>;

/** Binds the table `approvals`. */
export const approvalTable = defineTable('Approval', 'approvals', approvalColumns);
