import { AppError } from '../../core/http/errors';
import { reason } from '../../core/http/reasons';

const mebibyte = 1024 * 1024;
/** Bodies up to this size always fit: all connections together hold little more of them than of headers. */
const smallBytes = 64 * 1024;
/** Bytes of larger bodies in memory at once, of addresses that have sent a valid webhook and of all others. */
const knownBytes = 64 * mebibyte;
const unknownBytes = 32 * mebibyte;
/** Bytes of larger bodies of one address that has not. */
const perUnknownAddress = 8 * mebibyte;

/** Limits the memory of webhook bodies whose sender is not verified yet. */
export interface BodyBudget {
  /** Reserves memory for a body and returns a function that releases it. Throws 503 when none is left. */
  reserve(address: string, bytes: number, known: boolean): () => void;
}

/** Makes the budget of one process. */
export function createBodyBudget(): BodyBudget {
  let known = 0;
  let unknown = 0;
  const perAddress = new Map<string, number>();
  return {
    reserve(address, bytes, isKnown) {
      if (bytes <= smallBytes) return () => undefined;
      const own = perAddress.get(address) ?? 0;
      const fits = isKnown
        ? known + bytes <= knownBytes
        : unknown + bytes <= unknownBytes && own + bytes <= perUnknownAddress;
      if (!fits) throw new AppError('unavailable', reason('busy'), { retryAfter: 1 });
      if (isKnown) known += bytes;
      else {
        unknown += bytes;
        perAddress.set(address, own + bytes);
      }
      return () => {
        if (isKnown) {
          known -= bytes;
          return;
        }
        unknown -= bytes;
        const left = (perAddress.get(address) ?? 0) - bytes;
        if (left > 0) perAddress.set(address, left);
        else perAddress.delete(address);
      };
    },
  };
}
