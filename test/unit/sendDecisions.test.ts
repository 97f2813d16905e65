import { classify, type SendOutcome } from '../../api/core/platform/answers';
import { isUnknownObject, UpstreamError } from '../../api/core/platform/upstream';
import { backoffMs, pauseAfter, refuseNow, upstreamPayload } from '../../api/services/delivery/decisions';

type Claimed = Parameters<typeof refuseNow>[0];
type Rejected = Extract<SendOutcome, { kind: 'rejected' }>;

/** A text that may be sent: its number is there, its window and its 24 hours are open. */
const text: Claimed = {
  id: 1,
  attempts: 1,
  tries: 1,
  body: { type: 'text', text: { body: 'Hi' } },
  type: 'text',
  opaque: 'ours-1',
  reply_to_wamid: '',
  expires_in_ms: 1_000,
  window_in_ms: 1_000,
  phone: '4915112345678',
  bsuid: null,
  marketing_opt_out: false,
  number: '106540352242922',
  account: null,
  file_id: null,
  file: null,
  number_pk: 1,
  template_status: null,
  template_category: null,
  is_notification: false,
  contact_id: 2,
  conversation_id: 3,
  send_seq: 4,
};
const template: Claimed = {
  ...text,
  type: 'template',
  window_in_ms: null,
  template_status: 'APPROVED',
  template_category: 'MARKETING',
};

describe('what forbids a claimed message now', () => {
  it.each<[string, Partial<Claimed>, number | null]>([
    ['nothing', {}, null],
    ['a number that is gone', { number: null }, 33],
    ['24 hours that are over', { expires_in_ms: 0 }, -1],
    ['24 hours that are long over', { expires_in_ms: -5 }, -1],
    ['its last millisecond does not', { expires_in_ms: 1 }, null],
    ['no end of its 24 hours does not', { expires_in_ms: null }, null],
    ['a window that was never open', { window_in_ms: null }, 131047],
    ['a window that closes now', { window_in_ms: 0 }, 131047],
    ['a window that closed', { window_in_ms: -1 }, 131047],
    ['the last millisecond of the window does not', { window_in_ms: 1 }, null],
    ['an opt-out concerns no text', { marketing_opt_out: true, template_category: 'MARKETING' }, null],
  ])('%s', (_what, more, code) => {
    expect(refuseNow({ ...text, ...more })?.code ?? null).toBe(code);
  });

  it.each<[string, Partial<Claimed>, number | null]>([
    ['needs no window', {}, null],
    ['that was paused', { template_status: 'PAUSED' }, 132001],
    ['that was deleted', { template_status: null }, 132001],
    ['of marketing, to one who opted out', { marketing_opt_out: true }, 131050],
    ['of another category, to one who opted out', { marketing_opt_out: true, template_category: 'UTILITY' }, null],
    [
      'of another category, as a stage notification, to one who opted out',
      { marketing_opt_out: true, template_category: 'UTILITY', is_notification: true },
      131050,
    ],
    ['as a stage notification', { is_notification: true }, null],
    ['whose 24 hours are over', { expires_in_ms: 0 }, -1],
    ['without a number', { number: null }, 33],
  ])('of a template %s', (_what, more, code) => {
    expect(refuseNow({ ...template, ...more })?.code ?? null).toBe(code);
  });

  it('says what became of the template', () => {
    expect(refuseNow({ ...template, template_status: 'PAUSED' })?.message).toContain('(PAUSED)');
    expect(refuseNow({ ...template, template_status: null })?.message).toContain('(deleted)');
  });
});

describe('the pause before the next attempt', () => {
  it('doubles from a second to five minutes', () => {
    expect([1, 2, 3, 9, 10, 11, 50].map((attempts) => backoffMs(1, attempts))).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000, 300_000,
    ]);
  });

  it('is longer under the pair rate, and a minute under maintenance', () => {
    expect([1, 2, 3, 4, 5, 6, 50].map((attempts) => backoffMs(131056, attempts))).toEqual([
      1_000, 4_000, 16_000, 64_000, 256_000, 256_000, 256_000,
    ]);
    expect([1, 5].map((attempts) => backoffMs(131057, attempts))).toEqual([60_000, 60_000]);
  });

  const refused = (more: Partial<Rejected>): Rejected => ({
    kind: 'rejected',
    class: 'retry',
    code: 131000,
    title: '',
    message: '',
    ...more,
  });
  it.each<[string, Partial<Rejected>, Partial<Claimed>, number | null]>([
    ['none where it was refused for good', { class: 'permanent' }, {}, null],
    ['none where it was refused for good, whatever it says', { class: 'permanent', retryAfterMs: 1 }, {}, null],
    ['what the platform asks for', { retryAfterMs: 700 }, {}, 700],
    ['the usual one otherwise', {}, { expires_in_ms: 1_001, window_in_ms: 1_001 }, 1_000],
    ['none that ends when the window does', {}, { window_in_ms: 1_000, expires_in_ms: null }, null],
    ['none that ends when its 24 hours do', {}, { window_in_ms: 5_000, expires_in_ms: 1_000 }, null],
    [
      'by the calls so far, not by waits for its file',
      {},
      { attempts: 60, tries: 3, expires_in_ms: null, window_in_ms: 4_001 },
      4_000,
    ],
    ['none without a window', {}, { window_in_ms: null, expires_in_ms: null }, null],
    ['of a stopped number nothing, it waits by itself', { class: 'stop', retryAfterMs: 900 }, {}, 0],
    ['none for a stopped number whose window is over', { class: 'stop' }, { window_in_ms: 0 }, null],
    ['none for a stopped number without a window', { class: 'stop' }, { window_in_ms: null }, null],
  ])('is %s', (_what, outcome, more, waitMs) => {
    expect(pauseAfter(refused(outcome), { ...text, ...more })).toBe(waitMs);
  });

  it('of a template does not end with a window', () => {
    expect(pauseAfter(refused({}), { ...template, window_in_ms: 0, expires_in_ms: null })).toBe(1_000);
    expect(pauseAfter(refused({}), { ...template, window_in_ms: 5, expires_in_ms: 999 })).toBeNull();
  });
});

describe('the request to the platform', () => {
  it('names a phone with its plus, and a user id as it is and never in `to`', () => {
    expect(upstreamPayload(text)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+4915112345678',
      type: 'text',
      text: { body: 'Hi' },
      biz_opaque_callback_data: 'ours-1',
    });
    expect(upstreamPayload({ ...text, phone: null, bsuid: 'DE.123' })).toMatchObject({ recipient: 'DE.123' });
    expect(upstreamPayload({ ...text, phone: null, bsuid: 'DE.123' })).not.toHaveProperty('to');
  });

  it('quotes what is replied to, but a reaction names it by itself', () => {
    expect(upstreamPayload({ ...text, reply_to_wamid: 'wamid.1' })).toMatchObject({
      context: { message_id: 'wamid.1' },
    });
    expect(upstreamPayload({ ...text, type: 'reaction', reply_to_wamid: 'wamid.1' })).not.toHaveProperty('context');
  });
});

describe('what an error of the platform means', () => {
  it('is the same as written down in docs/upstream.md', () => {
    const retry = [1, 2, 4, 17, 613, 80007, 80008, 130429, 131056, 131000, 131016, 131057, 133004, 132069];
    const stop = [0, 3, 10, 104, 190, 200, 250, 299, 368, 131005, 131031, 131042, 131045, 133010];
    const permanent = [5, 100, 199, 300, 131009, 131026, 131047, 131048, 131050, 131051, 132001, 135000];
    expect([...new Set(retry.map(classify))]).toEqual(['retry']);
    expect([...new Set(stop.map(classify))]).toEqual(['stop']);
    expect([...new Set(permanent.map(classify))]).toEqual(['permanent']);
  });

  it('is an object that is not there, by status, code or subcode', () => {
    expect(isUnknownObject(new UpstreamError(404, 1, ''))).toBe(true);
    expect(isUnknownObject(new UpstreamError(400, 803, ''))).toBe(true);
    expect(isUnknownObject(new UpstreamError(400, 100, '', 33))).toBe(true);
    expect(isUnknownObject(new UpstreamError(400, 100, '', 34))).toBe(false);
    expect(isUnknownObject(new UpstreamError(400, 190, '', 33))).toBe(false);
    expect(isUnknownObject(new Error('404'))).toBe(false);
  });
});
