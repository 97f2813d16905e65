import { randomUUID } from 'node:crypto';
import { literal, Op } from 'sequelize';
import type { Runtime } from '../../../core/runtime';
import { dbNow } from '../../../core/stored';
import { databaseWentBack, markWentBack, noteDatabaseWentBack } from './holds';

/*
 * How a database is noticed that lost what it knew although it looks the same, such as a base backup or a snapshot that
 * was simply started: a word that changes every minute, here and in the memory of the `reconcile` workflow, and one of
 * each worker process, which changes every few seconds. After a crash or a restore nothing is sent until they were
 * compared (contract 16).
 */

/** The word of one deployment as the database has it. */
interface Known {
  readonly witness: string;
  readonly earlier: string | null;
  readonly accepted: boolean;
}

/** Returns whether the database came up from a crash or a backup and nobody has looked since which it was. */
export async function awaitsWitness(runtime: Runtime): Promise<boolean> {
  return (await runtime.db.models.DeliveryPresence.count()) === 0;
}

/** The word of this process: the last one that it certainly wrote, and the one that it writes next. */
interface Own {
  readonly deployment: string;
  readonly last: string | null;
  readonly next: string;
}

const own = new WeakMap<Runtime, Own>();
const renewing = new WeakMap<Runtime, Promise<void>>();

/**
 * Changes the word of this process in the database. Where the database has none that this process may have written
 * last, it lost what happened since: sending is held. One look at a time; who comes meanwhile waits for its end.
 */
export function renewWord(runtime: Runtime): Promise<void> {
  const under = renewing.get(runtime);
  if (under) return under;
  const look = renew(runtime).finally(() => renewing.delete(runtime));
  renewing.set(runtime, look);
  return look;
}

async function renew(runtime: Runtime): Promise<void> {
  const { DeliveryWitness } = runtime.db.models;
  const { deployment, last, next } = own.get(runtime) ?? {
    deployment: `process ${randomUUID()}`,
    last: null,
    next: randomUUID(),
  };
  // Kept before it is written: when the answer is lost, either may be there.
  own.set(runtime, { deployment, last, next });
  if (last === null) {
    await DeliveryWitness.bulkCreate([{ deployment, witness: next }], { ignoreDuplicates: true });
    await DeliveryWitness.destroy({
      where: { deployment: { [Op.like]: 'process %' }, updated_at: { [Op.lt]: literal("now() - interval '1 day'") } },
    });
  } else {
    const [changed] = await DeliveryWitness.update(
      { witness: next, updated_at: dbNow },
      { where: { deployment, witness: [last, next] } },
    );
    if (changed === 0) {
      own.delete(runtime);
      const there = await DeliveryWitness.findByPk(deployment, { attributes: ['accepted'], raw: true });
      if (there?.accepted !== true) await markWentBack(runtime);
      return;
    }
  }
  own.set(runtime, { deployment, last: next, next: randomUUID() });
}

/**
 * Compares the word that the workflow remembers with that of the database, and changes it. A database that has an older
 * one lost what happened since: sending is held. Returns the word to remember.
 */
export async function witnessDatabase(runtime: Runtime, seen: string | null): Promise<string> {
  const deployment = await runtime.installation.prefix();
  const { DeliveryFence, DeliveryPresence, DeliveryWitness } = runtime.db.models;
  await renewWord(runtime);
  const next = await runtime.db.transaction(async () => {
    // One at a time, also where there is no row yet.
    await DeliveryFence.findAll({ attributes: ['singleton'], lock: true, raw: true });
    const known: Known | null = await DeliveryWitness.findByPk(deployment, { raw: true });
    if (await databaseWentBack(runtime)) return known?.witness ?? randomUUID();
    if (!fits(known, seen, await awaitsWitness(runtime))) {
      await markWentBack(runtime);
      return known?.witness ?? randomUUID();
    }

    await DeliveryPresence.bulkCreate([{}], { ignoreDuplicates: true });
    // The workflow has not heard of the last change yet: another one would be one too many.
    if (known !== null && seen !== null && seen !== known.witness) return known.witness;
    const witness = randomUUID();
    const changed = { witness, earlier: known?.witness ?? null, accepted: false, updated_at: dbNow };
    if (known) await DeliveryWitness.update(changed, { where: { deployment } });
    else await DeliveryWitness.create({ deployment, witness });
    return witness;
  });
  await noteDatabaseWentBack(runtime);
  return next;
}

/** Returns whether what is remembered allows the database to be the one that it was. */
function fits(known: Known | null, seen: string | null, cameUp: boolean): boolean {
  if (known?.accepted) return true;
  // Temporal is new here, or lost its memory: only a database that never went away needs no witness.
  if (seen === null) return !cameUp;
  return known !== null && (seen === known.witness || seen === known.earlier);
}

/** Lets the next comparison pass, because the operator has said what the database lacks. */
export async function acceptWitness(runtime: Runtime): Promise<void> {
  const { DeliveryWitness, DeliveryPresence } = runtime.db.models;
  const deployment = await runtime.installation.prefix();
  await DeliveryWitness.bulkCreate([{ deployment, witness: randomUUID() }], { ignoreDuplicates: true });
  await DeliveryWitness.update({ accepted: true, updated_at: dbNow }, { where: {} });
  await DeliveryPresence.bulkCreate([{}], { ignoreDuplicates: true });
}
