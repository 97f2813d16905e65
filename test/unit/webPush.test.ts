import { randomBytes } from 'node:crypto';
import { encryptPush, pushKeysProblem, pushRequest, vapidPublicKey } from '../../api/core/http/webPush';
import { loadConfig } from '../../api/core/config';
import { isQuiet } from '../../api/services/identity/members/notifications';

/** The example of RFC 8291, section 5 and appendix A. */
const browser = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

it('encrypts what RFC 8291 encrypts in its example', () => {
  const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url');
  const key = Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url');
  expect(encryptPush(browser, 'When I grow up, I want to be a watermelon', salt, key).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl' +
      '7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

it('says who sends, to the push service of the address alone', () => {
  const vapid = { privateKey: randomBytes(32), subject: 'mailto:desk@example.com' };
  const target = { ...browser, endpoint: 'https://push.example.com/send/1?x=y' };
  const now = new Date('2026-11-25T12:00:00Z');
  const { headers } = pushRequest(vapid, target, 'x', { now, ttlSeconds: 300 });
  const [, token = '', key] = /^vapid t=(.+), k=(.+)$/.exec(headers['authorization'] ?? '') ?? [];
  expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toEqual({
    aud: 'https://push.example.com',
    exp: Date.parse('2026-11-26T00:00:00Z') / 1_000,
    sub: 'mailto:desk@example.com',
  });
  expect(key).toBe(vapidPublicKey(vapid));
  expect(headers).toMatchObject({ ttl: '300', 'content-encoding': 'aes128gcm' });
});

it.each([
  ['a key that is no point', { ...browser, p256dh: browser.p256dh.replace('B', 'D') }, /p256dh/],
  ['a point that is not on the curve', { ...browser, p256dh: `${browser.p256dh.slice(0, -2)}AA` }, /p256dh/],
  ['a short secret', { ...browser, auth: 'BTBZMqHH' }, /auth/],
  ['nothing', { p256dh: '', auth: '' }, /auth/],
])('keys with %s are refused', (_what, keys, problem) => expect(pushKeysProblem(keys)).toMatch(problem));

it('keys of a browser are taken', () => expect(pushKeysProblem(browser)).toBeNull());

describe('the settings', () => {
  const usual = { DATABASE_URL: 'postgres://x', SECRETS_KEY: Buffer.alloc(32).toString('base64') };
  const load = (env: Record<string, string>) => loadConfig({ ...usual, ...env }).vapid;
  const key = Buffer.alloc(32, 7);

  it('without a key there is no web push', () => expect(load({})).toBeNull());
  it('any 32 bytes are a key; push services reach the operator by the address of the installation', () => {
    expect(load({ VAPID_PRIVATE_KEY: key.toString('base64'), BASE_URL: 'https://desk.example.com' })).toEqual({
      privateKey: key,
      subject: 'https://desk.example.com',
    });
    expect(load({ VAPID_PRIVATE_KEY: key.toString('base64url') })?.subject).toBe('mailto:msgdesk@127.0.0.1');
    const subject = 'mailto:ops@example.com';
    expect(load({ VAPID_PRIVATE_KEY: key.toString('base64'), VAPID_SUBJECT: subject })?.subject).toBe(subject);
  });
  it.each([Buffer.alloc(31, 7), Buffer.alloc(32), Buffer.alloc(32, 255)])('%s is no key of the curve', (bytes) =>
    expect(() => load({ VAPID_PRIVATE_KEY: bytes.toString('base64') })).toThrow(/VAPID_PRIVATE_KEY must be/),
  );
});

it.each([
  ['22:00', '07:00', '2026-11-25T20:59:00Z', false],
  ['22:00', '07:00', '2026-11-25T21:00:00Z', true],
  ['22:00', '07:00', '2026-11-26T05:59:59Z', true],
  ['22:00', '07:00', '2026-11-26T06:00:00Z', false],
  // In summer the clock on the wall is an hour ahead of that.
  ['22:00', '07:00', '2026-07-25T20:00:00Z', true],
  ['12:00', '13:30', '2026-11-25T11:00:00Z', true],
  ['12:00', '13:30', '2026-11-25T12:30:00Z', false],
])('from %s until %s in Berlin it is quiet at %s: %s', (quiet_from, quiet_until, at, quiet) => {
  expect(isQuiet({ quiet_from, quiet_until }, 'Europe/Berlin', new Date(at))).toBe(quiet);
  expect(isQuiet({ quiet_from: null, quiet_until: null }, 'Europe/Berlin', new Date(at))).toBe(false);
});
