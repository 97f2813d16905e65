import { type SendOutcome } from '../../api/core/platform/answers';
import { createUpstream, type Upstream } from '../../api/core/platform/upstream';
import { eventually } from '../support/eventually';
import { startHeldUpstream, type HeldUpstream } from '../support/heldUpstream';

const hour = 3_600_000;
let server: HeldUpstream;
let upstream: Upstream | null = null;
beforeEach(async () => {
  server = await startHeldUpstream();
});
afterEach(async () => {
  server.release();
  await upstream?.close();
  upstream = null;
  await server.close();
});

/** A client of the held server with one connection; times that do not matter are out of the way. */
function client(limits: Parameters<typeof createUpstream>[1]): Upstream {
  upstream = createUpstream(
    { upstream: { url: server.url, version: 'v1' }, platformCalls: 1 },
    {
      startTimeoutMs: hour,
      answerTimeoutMs: hour,
      ...limits,
    },
  );
  return upstream;
}
const send = (which: Upstream, opaque: string): Promise<SendOutcome> =>
  which.sendMessage('token', '1', { biz_opaque_callback_data: opaque });

/** Only what may have left can be unknown; everything else is tried again. */
describe('a send that is given up', () => {
  it('before a connection came free was not sent: a retry', async () => {
    const one = client({ startTimeoutMs: 2_000 });
    const first = send(one, 'first');
    await eventually(() => expect(server.waiting()).toBe(1));
    expect(await send(one, 'second')).toMatchObject({ kind: 'rejected', class: 'retry' });
    server.release();
    expect(await first).toMatchObject({ kind: 'accepted', wamid: 'wamid.first' });
    // The connection is free again, and what was given up does not go out after all.
    expect(await send(one, 'third')).toMatchObject({ kind: 'accepted' });
    expect(server.arrived).toEqual(['first', 'third']);
  });

  it('after it left is unknown; and the clock of one that waited begins when it leaves', async () => {
    const one = client({ answerTimeoutMs: 3_000 });
    const first = send(one, 'first');
    await eventually(() => expect(server.waiting()).toBe(1));
    const second = send(one, 'second');
    expect(await first).toMatchObject({ kind: 'unknown' });
    server.release();
    expect(await second).toMatchObject({ kind: 'accepted', wamid: 'wamid.second' });
  });

  it('because nothing listens is a retry', async () => {
    const nowhere = createUpstream({ upstream: { url: 'http://127.0.0.1:1', version: 'v1' }, platformCalls: 1 });
    expect(await send(nowhere, 'x')).toMatchObject({ kind: 'rejected', class: 'retry', code: -1 });
    await nowhere.close();
  });
});
