import { isIPv4 } from 'node:net';
import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/** The client's address as limits count it: of IPv6 the /64 network that one subscriber is given. */
export function addressOf(req: Request): string {
  return ipKeyGenerator(req.ip ?? 'unknown', 64);
}

/** The client's network, which one owner may command: a /24 of IPv4, a /48 (or what is asked for) of IPv6. */
export function networkOf(req: Request, ofIPv6: 48 | 64 = 48): string {
  const network = ipKeyGenerator(req.ip ?? 'unknown', ofIPv6);
  return isIPv4(network) ? `${network.slice(0, network.lastIndexOf('.'))}.0/24` : network;
}
