import { BlockList, isIP } from 'node:net';
import { AppError } from '../../../core/http/errors';
import { Fault, field, type Field } from '../../../core/http/fields';
import { reason } from '../reasons';

/** The most ranges of one key. */
export const maxRanges = 50;

/** Returns a field that is an address or a network: `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`. */
export function addressRange(): Field<string> {
  return field<string>({ type: 'string', maxLength: 49 }, (raw) => {
    const range = typeof raw === 'string' ? raw.trim().toLowerCase() : '';
    return partsOf(range) ? range : new Fault(reason('noNetwork'));
  });
}

/** Returns whether a client at this address is in one of the ranges; an empty list allows every address. */
function isWithin(ranges: readonly string[], address: string): boolean {
  if (ranges.length === 0) return true;
  const kind = isIP(address);
  if (kind === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const parts = partsOf(range);
    if (parts) list.addSubnet(parts.address, parts.bits, parts.kind);
  }
  // An IPv4 client of a socket that speaks both kinds has a mapped address, which BlockList knows.
  return list.check(address, kind === 6 ? 'ipv6' : 'ipv4');
}

interface Parts {
  readonly address: string;
  readonly bits: number;
  readonly kind: 'ipv4' | 'ipv6';
}

function partsOf(range: string): Parts | null {
  const [address = '', bits, ...more] = range.split('/');
  const kind = address.includes('%') ? 0 : isIP(address);
  const maxBits = kind === 4 ? 32 : 128;
  const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
  if (kind === 0 || more.length > 0 || !isNetwork) return null;
  return { address, bits: bits === undefined ? maxBits : Number(bits), kind: kind === 4 ? 'ipv4' : 'ipv6' };
}

/** Throws the 403 of a credential that may not be used from this address, because its holder may know why. */
export function refuseElsewhere(what: 'API key' | 'connection', ranges: readonly string[], address: string): void {
  if (isWithin(ranges, address)) return;
  throw new AppError('forbidden', `This ${what} may not be used from the address ${address}.`, {
    publicCode: 'address_not_allowed',
  });
}
