import { inboundText, signedWebhook, webhook } from '../factories/customers';
import { createSession } from '../factories/members';
import { uniquePhone } from '../factories/unique';
import { startApi, type TestApi } from '../support/api';
import { expectLinear, timesIn, troublesome } from '../support/growth';
import { longTextsIn } from '../support/longTexts';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

longTextsIn('others', () => desk);

test('what a customer writes costs no more than its size, at the webhook and in the whole thread', async () => {
  const cookie = `token=${(await createSession(desk.workspace.owner)).token}`;
  for (const piece of troublesome)
    await expectLinear(`a text of ${JSON.stringify(piece)}`, timesIn(60_000, piece), async (times) => {
      const phone = uniquePhone();
      const text = inboundText(phone, piece.repeat(times));
      const { status } = await signedWebhook(desk.workspace, webhook(desk.workspace, { messages: [text] }));
      expect(status).toBe(200);
      await desk.settled();
      const thread = `/dashboard/inbox/${phone.replace('+', '')}/`;
      const cut = await desk.anonymous.get<string>(thread, { cookie });
      expect(cut.status).toBe(200);
      const whole = /whole=(\d+)/.exec(cut.body)?.[0] ?? '';
      const page = await desk.anonymous.get<string>(`${thread}?${whole}`, { cookie });
      expect(page.status).toBe(200);
      expect(page.body.length).toBeGreaterThan(cut.body.length);
    });
});
