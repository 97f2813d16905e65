import { Op, Transaction } from 'sequelize';
import { generateSecret } from 'otplib';
import type { FactorRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { isUniqueViolation } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { conflict, invalidField, notFound } from '../../../core/http/errors';
import type { Runtime } from '../../../core/runtime';
import { sha256 } from '../../../core/secrets';
import { countFactor } from '../attempts/attempts';
import { readPasskey, takePasskey } from './passkeys';
import { stepOfCode, takeTotp } from './totp';
import { reason } from '../reasons';

const codeCount = 10;
/** 120 bits: too many to find one by trying, even with the hashes at hand. */
const codeBytes = 15;
const totpDigits = 6;
const maxFactors = 20;

/** A factor as its member sees it. */
export type FactorRecord = Pick<FactorRow, 'id' | 'kind' | 'name' | 'created_at' | 'last_used_at'> & {
  readonly codes_left: number | null;
};

/** What a member shows beside the password: a code of an app, a recovery code, or the answer of a passkey. */
export interface Proof {
  readonly code?: string | undefined;
  readonly passkey?: unknown;
}

/** Returns the factors of the acting member, the oldest first. */
export async function listFactors(ctx: Ctx): Promise<FactorRecord[]> {
  const rows = await ctx.runtime.db.models.Factor.findAll({
    where: { member_id: ctx.actor.memberId ?? 0 },
    order: ['id'],
    raw: true,
  });
  return rows.map(({ id, kind, name, created_at, last_used_at, codes }) => ({
    ...{ id, kind, name, created_at, last_used_at },
    codes_left: kind === 'recovery' ? codes.length : null,
  }));
}

/** Returns whether the member has something to prove beside the password. */
export async function hasFactor(runtime: Runtime, memberId: number): Promise<boolean> {
  const where = { member_id: memberId, kind: { [Op.ne]: 'recovery' } };
  return (await runtime.db.models.Factor.count({ where })) > 0;
}

/**
 * Takes what a member shows beside the password: each code and each answer once. Throws the 400 of a wrong one, and for
 * codes of apps the 429 after ten of them in a quarter of an hour from one place.
 */
export async function proveFactor(
  runtime: Runtime,
  who: { readonly memberId: number; readonly sessionId: number; readonly place: string },
  { code, passkey }: Proof,
): Promise<void> {
  // Nobody guesses a passkey: wrong codes of who knows the password must not keep its owner out.
  if (passkey !== undefined) {
    if (await takePasskey(runtime, who.memberId, who.sessionId, passkey)) return;
    throw invalidField('passkey', reason('passkeyRefused'));
  }
  const given = (code ?? '').replaceAll(/[\s-]/g, '').toUpperCase();
  // Nor does anybody guess a recovery code.
  const attempt = given.length === totpDigits ? await countFactor(runtime, who.memberId, who.place) : null;
  if (!(await takeCode(runtime, who.memberId, given))) throw invalidField('code', reason('codeWrong'));
  await attempt?.forgive();
}

async function takeCode(runtime: Runtime, memberId: number, code: string): Promise<boolean> {
  if (code.length === totpDigits) return takeTotp(runtime, memberId, code);
  // A recovery code is taken out of the list by the statement that looks for it.
  const taken = await runtime.db.row<{ id: number }>(
    `UPDATE factors SET codes = array_remove(codes, $hash), last_used_at = now()
     WHERE member_id = $memberId AND kind = 'recovery' AND $hash = ANY (codes) RETURNING id`,
    { memberId, hash: hashOf(code) },
  );
  return taken !== null;
}

function hashOf(code: string): string {
  return sha256(code).toString('hex');
}

/** Adds an authenticator app after a code of it was entered. With the first factor it returns recovery codes. */
export async function addTotp(
  ctx: Ctx,
  { enrolment, code, name }: { readonly enrolment: string; readonly code: string; readonly name: string },
): Promise<string[] | null> {
  const memberId = ctx.actor.memberId ?? 0;
  const step = await stepOfCode(ctx.runtime, memberId, enrolment, code.replaceAll(/\s/g, ''));
  if (step === null) throw invalidField('code', reason('appCodeWrong'));
  return add(ctx, { kind: 'totp', name, secret: enrolment, last_step: step });
}

/** Adds a passkey that the browser of this session has just made; the first factor comes with recovery codes. */
export async function addPasskey(ctx: Ctx, name: string, response: unknown): Promise<string[] | null> {
  const passkey = await readPasskey(ctx.runtime, ctx.actor.sessionId ?? 0, response);
  if (!passkey) throw invalidField('passkey', reason('passkeyRefused'));
  return add(ctx, { kind: 'passkey', name, passkey });
}

/** Locks the acting member: of two changes of their factors at once, the second sees the first. */
async function lockOwn(ctx: Ctx, memberId: number): Promise<void> {
  const lock = Transaction.LOCK.NO_KEY_UPDATE;
  await of(ctx, ctx.runtime.db.models.Member).findOne({ attributes: ['id'], where: { id: memberId }, lock, raw: true });
}

async function add(
  ctx: Ctx,
  factor: Pick<FactorRow, 'kind' | 'name'> & Partial<Pick<FactorRow, 'secret' | 'last_step' | 'passkey'>>,
): Promise<string[] | null> {
  const { runtime } = ctx;
  const memberId = ctx.actor.memberId ?? 0;
  const { Factor } = runtime.db.models;
  return runtime.db
    .transaction(async () => {
      await lockOwn(ctx, memberId);
      // One app with two rows would take each code twice.
      const known = { member_id: memberId, kind: factor.kind, secret: factor.secret ?? null };
      if (factor.kind === 'totp' && (await Factor.count({ where: known })) > 0) throw conflict(reason('appTaken'));
      const isFirst = !(await hasFactor(runtime, memberId));
      if ((await Factor.count({ where: { member_id: memberId } })) >= maxFactors)
        throw conflict(reason('tooManyFactors', { max: maxFactors }));
      await Factor.create({ ...factor, member_id: memberId });
      return isFirst ? renewCodes(ctx) : null;
    })
    .catch((error: unknown) => {
      if (isUniqueViolation(error, 'factors_passkey')) throw invalidField('passkey', reason('passkeyUsed'));
      throw error;
    });
}

/** Makes new recovery codes for the acting member, in place of those there are; they are shown this once. */
export async function renewCodes(ctx: Ctx): Promise<string[]> {
  const { Factor } = ctx.runtime.db.models;
  const memberId = ctx.actor.memberId ?? 0;
  if (!(await hasFactor(ctx.runtime, memberId))) throw conflict(reason('factorFirst'));
  const codes = Array.from({ length: codeCount }, () => generateSecret({ length: codeBytes }));
  await ctx.runtime.db.transaction(async () => {
    await lockOwn(ctx, memberId);
    await Factor.destroy({ where: { member_id: memberId, kind: 'recovery' } });
    await Factor.create({ member_id: memberId, kind: 'recovery', name: 'Recovery codes', codes: codes.map(hashOf) });
  });
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'));
}

/** Removes one of the acting member's factors, with the last one their recovery codes. Throws 404. */
export async function removeFactor(ctx: Ctx, factorId: number, isDemanded: boolean): Promise<void> {
  const { Factor } = ctx.runtime.db.models;
  const memberId = ctx.actor.memberId ?? 0;
  await ctx.runtime.db.transaction(async () => {
    await lockOwn(ctx, memberId);
    const removed = await Factor.destroy({
      where: { id: factorId, member_id: memberId, kind: { [Op.ne]: 'recovery' } },
    });
    if (removed === 0) throw notFound();
    if (await hasFactor(ctx.runtime, memberId)) return;
    if (isDemanded) throw conflict(reason('factorDemanded'));
    await Factor.destroy({ where: { member_id: memberId } });
  });
}

/** Removes all factors of a member who has lost them. */
export async function forgetFactors(runtime: Runtime, memberId: number): Promise<void> {
  await runtime.db.models.Factor.destroy({ where: { member_id: memberId } });
}
