import { literal, Op } from 'sequelize';
import { generateSecret, generateURI, verifySync } from 'otplib';
import { dueNow } from '../../../core/clock';
import type { Runtime } from '../../../core/runtime';
import { decryptSecret, encryptSecret } from '../../../core/secrets';

/** A phone's clock may be a step away from ours. */
const toleranceSeconds = 30;
const placeOf = (memberId: number): string => `authenticator of member ${memberId}`;

/** What an authenticator app is set up with. */
interface TotpStart {
  /** Typed into the app where the picture cannot be read. */
  readonly secret: string;
  /** `otpauth://…`, shown as a picture. */
  readonly uri: string;
  /** The encrypted secret, which the client sends back with the first code. */
  readonly enrolment: string;
}

/** Makes the secret of a new authenticator app, which is not valid until a code of it was entered. */
export function startTotp({ config }: Runtime, memberId: number, email: string): TotpStart {
  const secret = generateSecret({ length: 20 });
  return {
    secret,
    uri: generateURI({ issuer: `Msgdesk ${new URL(config.baseUrl).host}`, label: email, secret }),
    enrolment: encryptSecret(config.secretsKeys, secret, placeOf(memberId)),
  };
}

/** Returns the time step of a code of this sealed secret, or null when it is no such code now. */
export async function stepOfCode(
  runtime: Runtime,
  memberId: number,
  sealed: string,
  code: string,
): Promise<number | null> {
  if (!/^\d{6}$/.test(code)) return null;
  let secret: string;
  try {
    secret = decryptSecret(runtime.config.secretsKeys, sealed, placeOf(memberId));
  } catch {
    return null;
  }
  const epoch = Math.floor((await dueNow(runtime)).getTime() / 1_000);
  const found = verifySync({ secret, token: code, epoch, epochTolerance: toleranceSeconds });
  return found.valid && 'timeStep' in found ? found.timeStep : null;
}

/** Takes a code of one of the member's authenticator apps, once. */
export async function takeTotp(runtime: Runtime, memberId: number, code: string): Promise<boolean> {
  const { Factor } = runtime.db.models;
  for (const factor of await Factor.findAll({ where: { member_id: memberId, kind: 'totp' }, raw: true })) {
    const step = await stepOfCode(runtime, memberId, factor.secret ?? '', code);
    if (step === null) continue;
    // Of two requests with the same code one finds its step free.
    const [taken] = await Factor.update(
      { last_step: step, last_used_at: literal('now()') },
      { where: { id: factor.id, [Op.or]: [{ last_step: null }, { last_step: { [Op.lt]: step } }] } },
    );
    if (taken > 0) return true;
  }
  return false;
}

/** Encrypts the secrets of authenticator apps again with the current key. Returns how many it changed. */
export async function resealFactorsAnywhere(runtime: Runtime): Promise<number> {
  const { Factor } = runtime.db.models;
  const keys = runtime.config.secretsKeys;
  let resealed = 0;
  // The installation's own key: all members at once, like the operator who changes it.
  for (const { id, member_id: memberId, secret } of await Factor.findAll({ where: { kind: 'totp' }, raw: true })) {
    const plain = decryptSecret(keys, secret ?? '', placeOf(memberId));
    const [changed] = await Factor.update({ secret: encryptSecret(keys, plain, placeOf(memberId)) }, { where: { id } });
    resealed += changed;
  }
  return resealed;
}
