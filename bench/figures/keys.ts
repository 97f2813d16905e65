import { chromium as playwright, type Page } from 'playwright-core';
import { parseActions } from '../../api/services/resources/macros/actions';
import { createMacro } from '../../api/services/resources/macros/service';
import { Fault } from '../../api/core/http/fields';
import { demoPhoneNumberId } from '../../dev/sandbox/demo';
import { connectSandbox, type Context } from '../support/context';
import { atMost, type Figure, type Line } from '../support/figure';
import { seedInbox } from '../support/seedInbox';
import { openSession } from '../support/session';
import { percentile } from '../support/stats';

const stored = `document.querySelector('#messages')?.innerText ?? ''`;
const sending = `document.querySelector('#sending')?.innerText ?? ''`;
const shown = `(${stored}) + (${sending})`;
const open = `document.querySelector('#open')?.dataset.path`;

/** From the key to the paint of what it asked for, in Chromium: how long a member waits in a large inbox. */
export const figure: Figure = {
  name: 'keys',
  async run(context: Context) {
    const rounds = context.quick ? 8 : 20;
    const installation = await context.install({ sandbox: true });
    await seedInbox(installation, context.quick ? 10_000 : 100_000);
    const api = await installation.startApi();
    await installation.startWorker();
    await connectSandbox(installation, api.url ?? '');
    // All that is open can be answered freely, from the number that its customer wrote to.
    await installation.sql(
      `UPDATE conversations SET active_till = now() + interval '12 hours',
         phone_number_id = (SELECT id FROM phone_numbers WHERE phone_number_id = $1)
       WHERE conv_status IN ('open', 'pending')`,
      [demoPhoneNumberId],
    );
    await installation.sql(
      `INSERT INTO conversation_windows (conversation_id, phone_number_id, open_until)
       SELECT v.id, p.id, v.active_till FROM conversations v, phone_numbers p
       WHERE v.conv_status IN ('open', 'pending') AND p.phone_number_id = $1`,
      [demoPhoneNumberId],
    );
    const actions = parseActions([
      { type: 'set_priority', params: { priority: 'urgent' } },
      { type: 'add_tags', params: { tags: ['pressed'] } },
    ]);
    if (actions instanceof Fault) throw new Error(actions.messages.join(' '));
    await createMacro(installation.ctx, { name: 'Press', actions });
    const { token } = await openSession(installation);

    const { default: chromium } = await import('@sparticuz/chromium');
    const browser = await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    try {
      const member = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await member.addCookies([{ name: 'token', value: token, url: api.url ?? '', httpOnly: true, sameSite: 'Lax' }]);
      const page = await member.newPage();
      await page.addInitScript(
        `addEventListener('keydown', (event) => { window.pressedAt = event.timeStamp; }, { capture: true });`,
      );
      await page.goto(`${api.url}/dashboard/inbox/?view=open`);
      // Not the first one: k goes back as often as j went on.
      await page.locator('.conversation').nth(2).click();
      await page.locator('#reply').waitFor();
      const lines: Line[] = [];
      for (const [what, once] of Object.entries(acts)) {
        const times: number[] = [];
        for (let round = -2; round < rounds; round += 1) {
          // Nobody presses the next key at once: what the last one caused has ended.
          await page.waitForTimeout(300);
          const ms = await once(page, round);
          if (round >= 0) times.push(ms);
        }
        context.log(
          `${what}: p50 ${percentile(times, 0.5).toFixed(0)} ms, ${times.map((ms) => ms.toFixed(0)).join(' ')}`,
        );
        lines.push(atMost(`${what}: key to paint, p95 in ms`, percentile(times, 0.95), 100));
      }
      return lines;
    } finally {
      await browser.close();
    }
  },
};

/** Each presses its key, and returns the ms until what was asked for is painted. */
const acts: Readonly<Record<string, (page: Page, round: number) => Promise<number>>> = {
  'j, the next conversation': (page) => pressAndMove(page, 'j'),
  'k, the one before': (page) => pressAndMove(page, 'k'),
  'Enter on a conversation of the list': async (page, round) => {
    await page
      .locator('.conversation')
      .nth(5 + ((round + 2) % 10))
      .focus();
    return pressAndMove(page, 'Enter');
  },
  'send, until its text is shown below the thread': async (page, round) => {
    const text = `It left us today, number ${round}`;
    await page.locator('#reply').fill(text);
    return press(page, 'Control+Enter', `(${shown}).includes('${text}')`);
  },
  'send, until the message stands in the thread': async (page, round) => {
    const text = `You have it tomorrow, number ${round}`;
    await page.locator('#reply').fill(text);
    return press(page, 'Control+Enter', `(${stored}).includes('${text}') && !(${sending}).includes('${text}')`);
  },
  'macro, until its effect is shown': async (page) => {
    await page.locator('#open').click({ position: { x: 300, y: 100 } });
    await pressAndMove(page, 'j');
    await page.waitForTimeout(300);
    await page.keyboard.press('m');
    await page.locator('.menu:popover-open').getByRole('button', { name: 'Press' }).focus();
    return press(page, 'Enter', `document.querySelector('#thread-head')?.innerText.toLowerCase().includes('urgent')`);
  },
  'done, until it is shown': async (page) => {
    await page.locator('#open').click({ position: { x: 300, y: 100 } });
    await pressAndMove(page, 'j');
    await page.waitForTimeout(300);
    return press(page, 'e', `document.querySelector('#thread-head [data-key="e"]')?.value === 'open'`);
  },
};

/** Presses a key that shows another conversation. */
async function pressAndMove(page: Page, key: string): Promise<number> {
  const before = JSON.stringify(await page.evaluate(open));
  return press(page, key, `${open} !== undefined && ${open} !== ${before} && document.querySelector('#reply')`);
}

/** Presses a key; returns the ms from its event to the first frame that was painted after the condition held. */
async function press(page: Page, key: string, condition: string): Promise<number> {
  const painted = page.evaluate<number>(`new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('not painted within ten seconds')), 10_000);
    const observer = new MutationObserver(() => {
      if (!(${condition})) return;
      observer.disconnect();
      // The frame that is begun now is on the screen when the task after it runs.
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - window.pressedAt)));
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  })`);
  await page.keyboard.press(key);
  return painted;
}
