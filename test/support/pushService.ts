import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually';

/** What a browser gives when it subscribes, as its JSON. */
export interface BrowserSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** A push that came in, opened by the keys of the browser that it is for. */
interface Push {
  readonly browser: string;
  readonly ttl: string | undefined;
  readonly sub: unknown;
  readonly shown: { readonly tag: string; readonly title: string; readonly body: string; readonly href: string };
}

/** A push service on a port of its own, with the browsers that it serves. */
export interface PushService {
  readonly pushes: Push[];
  /** What is answered to a browser's push; 201 unless told. */
  answer: (browser: string) => number | ((response: ServerResponse) => void);
  /** What could not be opened, or was not signed as it has to be. */
  readonly faults: string[];
  /** Makes a browser that subscribes. */
  subscribe(browser: string): BrowserSubscription;
  /** Waits for a push to a browser, and gives the newest. */
  awaits(browser: string): Promise<Push>;
  close(): Promise<void>;
}

const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
const derive = (key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/** Starts one on the loopback. It reads RFC 8188, 8291 and 8292 by itself, and nothing of the product. */
export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, { readonly own: ReturnType<typeof createECDH>; readonly auth: Buffer }>();
  const pushes: Push[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const browser = decodeURIComponent((request.url ?? '').split('/').at(-1) ?? '');
      try {
        const known = browsers.get(browser);
        if (!known) throw new Error(`nobody subscribed as ${browser}`);
        if (request.headers['content-encoding'] !== 'aes128gcm') throw new Error('another encoding');
        const { sub } = claimsOf(request.headers.authorization ?? '', origin());
        const shown = JSON.parse(open(known, Buffer.concat(chunks))) as Push['shown'];
        pushes.push({ browser, ttl: String(request.headers['ttl']), sub, shown });
      } catch (error) {
        faults.push(String(error));
      }
      const answer = service.answer(browser);
      if (typeof answer === 'function') answer(response);
      else response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: PushService = {
    pushes,
    faults,
    answer: () => 201,
    subscribe(browser) {
      const own = createECDH('prime256v1');
      own.generateKeys();
      const auth = randomBytes(16);
      browsers.set(browser, { own, auth });
      const keys = { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') };
      return { endpoint: `${origin()}/send/${encodeURIComponent(browser)}`, keys };
    },
    awaits: (browser) =>
      eventually(() => {
        const found = pushes.findLast((push) => push.browser === browser);
        if (!found) throw new Error(`nothing was pushed to ${browser}; ${faults.join('; ')}`);
        return found;
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

/** Opens one record of `aes128gcm` that is encrypted for a browser. */
function open({ own, auth }: { own: ReturnType<typeof createECDH>; auth: Buffer }, body: Buffer): string {
  const salt = body.subarray(0, 16);
  const length = body[20] ?? 0;
  const theirs = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), theirs]);
  const secret = derive(own.computeSecret(theirs), auth, about, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  if (plain.at(-1) !== 2) throw new Error('the record is not the last one');
  return plain.subarray(0, -1).toString('utf8');
}

/** Checks the signature by which a push service knows the sender, and gives what it claims. */
function claimsOf(header: string, audience: string): { readonly sub: unknown } {
  const [, signed = '', signature = '', key = ''] =
    /^vapid t=([\w-]+\.[\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  const point = bytes(key);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(signed),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes(signature),
  );
  const claims = JSON.parse(bytes(signed.split('.')[1]).toString()) as { aud: string; exp: number; sub: unknown };
  if (!isSigned) throw new Error('the signature is wrong');
  if (claims.aud !== audience) throw new Error(`it is signed for ${claims.aud}`);
  const leftSeconds = claims.exp - Date.now() / 1_000;
  if (leftSeconds <= 0 || leftSeconds > 24 * 3_600) throw new Error('it is signed for too long, or no more');
  return claims;
}
