import { isIP } from 'node:net';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { literal } from 'sequelize';
import type { FactorRow, StoredPasskey } from '../../../../models';
import type { Config } from '../../../core/config';
import { conflict } from '../../../core/http/errors';
import { isPlainObject } from '../../../core/http/fields';
import type { Runtime } from '../../../core/runtime';
import { sha256 } from '../../../core/secrets';
import { reason } from '../reasons';

/** What is told where browsers make no passkeys. */
export const noPasskeys = reason('noPasskeys');

/** A member who has to find their security key has this long. */
const challengeMinutes = 5;

/** Returns the host that passkeys are bound to, or null where browsers make none: without a name, or without TLS. */
export function passkeyHost({ baseUrl }: Pick<Config, 'baseUrl'>): string | null {
  const { protocol, hostname } = new URL(baseUrl);
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return isName && (protocol === 'https:' || hostname === 'localhost') ? hostname : null;
}

/** Returns what a browser needs to make a passkey, and keeps the challenge for this session. */
export async function startPasskey(
  runtime: Runtime,
  who: { readonly memberId: number; readonly sessionId: number; readonly email: string },
): Promise<Record<string, unknown>> {
  const host = passkeyHost(runtime.config);
  if (host === null) throw conflict(noPasskeys);
  const known = await passkeysOf(runtime, who.memberId);
  const options = await generateRegistrationOptions({
    rpName: 'Msgdesk',
    rpID: host,
    userName: who.email,
    userID: new Uint8Array(sha256(`member ${who.memberId}`)),
    excludeCredentials: known.map(({ passkey }) => ({ id: passkey.id })),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  });
  await keepChallenge(runtime, who.sessionId, options.challenge);
  return { ...options };
}

/** Returns what is stored of a passkey that a browser has just made for this session, or null when it is none. */
export async function readPasskey(
  runtime: Runtime,
  sessionId: number,
  response: unknown,
): Promise<StoredPasskey | null> {
  const challenge = await takeChallenge(runtime, sessionId);
  const host = passkeyHost(runtime.config);
  if (challenge === null || host === null || !isPlainObject(response)) return null;
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: new URL(runtime.config.baseUrl).origin,
      expectedRPID: host,
      requireUserVerification: false,
    });
    if (!verified) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter };
  } catch {
    // What no browser of ours has made; the library throws for each of the many reasons.
    return null;
  }
}

/** Returns what a browser needs to use one of the member's passkeys in this session; null where there is none. */
export async function challengePasskey(
  runtime: Runtime,
  memberId: number,
  sessionId: number,
): Promise<Record<string, unknown> | null> {
  const host = passkeyHost(runtime.config);
  const known = await passkeysOf(runtime, memberId);
  if (host === null || known.length === 0) return null;
  const options = await generateAuthenticationOptions({
    rpID: host,
    userVerification: 'preferred',
    allowCredentials: known.map(({ passkey }) => ({ id: passkey.id })),
  });
  await keepChallenge(runtime, sessionId, options.challenge);
  return { ...options };
}

/** Takes the answer of one of the member's passkeys to the challenge of this session, once. */
export async function takePasskey(
  runtime: Runtime,
  memberId: number,
  sessionId: number,
  response: unknown,
): Promise<boolean> {
  const challenge = await takeChallenge(runtime, sessionId);
  const host = passkeyHost(runtime.config);
  const known = await passkeysOf(runtime, memberId);
  if (challenge === null || host === null || !isPlainObject(response)) return false;
  const factor = known.find(({ passkey }) => passkey.id === response['id']);
  if (!factor) return false;
  const { id, publicKey, counter } = factor.passkey;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: new URL(runtime.config.baseUrl).origin,
      expectedRPID: host,
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
      requireUserVerification: false,
    });
    if (!verified) return false;
    await runtime.db.models.Factor.update(
      { passkey: { id, publicKey, counter: authenticationInfo.newCounter }, last_used_at: literal('now()') },
      { where: { id: factor.id } },
    );
    return true;
  } catch {
    // Another origin, another challenge, a wrong signature, a counter that went back.
    return false;
  }
}

async function passkeysOf(
  runtime: Runtime,
  memberId: number,
): Promise<(FactorRow & { readonly passkey: StoredPasskey })[]> {
  const rows = await runtime.db.models.Factor.findAll({ where: { member_id: memberId, kind: 'passkey' }, raw: true });
  return rows.flatMap((row) => (row.passkey ? [{ ...row, passkey: row.passkey }] : []));
}

async function keepChallenge({ db }: Runtime, sessionId: number, challenge: string): Promise<void> {
  await db.models.FactorChallenge.upsert({
    session_id: sessionId,
    challenge,
    created_at: literal('now()') as unknown as Date,
  });
}

/** Returns the challenge of a session and forgets it: of two answers one finds it. */
async function takeChallenge({ db }: Runtime, sessionId: number): Promise<string | null> {
  const row = await db.row<{ challenge: string; is_young: boolean }>(
    `DELETE FROM factor_challenges WHERE session_id = $sessionId
     RETURNING challenge, created_at > now() - interval '${challengeMinutes} minutes' AS is_young`,
    { sessionId },
  );
  return row?.is_young ? row.challenge : null;
}
