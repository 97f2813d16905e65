import { contactsSql } from '../../dev/makers/people';
import type { Locator } from 'playwright-core';
import { createConversation } from '../factories/contacts';
import { createPipeline, createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { dashboardBrowser } from '../support/dashboard';

/* What a member looks for stands where it can be seen. */
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
});
afterAll(() => desk.close());

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

async function boxOf(element: Locator): Promise<Box> {
  const box = await element.boundingBox();
  if (!box) throw new Error(`${await element.textContent()} is not shown`);
  return box;
}

/** Returns whether a box lies within another one; places of a page are fractions of a pixel. */
function isWithin(inner: Box, outer: Box): boolean {
  const near = 1;
  return (
    inner.x >= outer.x - near &&
    inner.y >= outer.y - near &&
    inner.x + inner.width <= outer.x + outer.width + near &&
    inner.y + inner.height <= outer.y + outer.height + near
  );
}

const phone = { width: 390, height: 844 };
const tablet = { width: 820, height: 1180 };
const desktop = { width: 1280, height: 800 };

test('every view of the inbox is whole, whatever its number', async () => {
  await desk.runtime.db.rows(
    `WITH ${contactsSql({ workspaceId: desk.workspace.id, count: 1_100, firstPhone: 49_161_000_001, name: 'Waiting' })}
     INSERT INTO conversations (id, workspace_id, contact_id, last_message_at, last_exchange_at, unanswered_since)
     SELECT id, $workspaceId, id, now(), now(), now() FROM made`,
    { workspaceId: desk.workspace.id },
  );
  const { page, open } = await dashboardBrowser(desk);
  for (const viewport of [phone, tablet, desktop]) {
    await page.setViewportSize(viewport);
    await open('/dashboard/inbox/?view=all');
    await page.locator('#views .count', { hasText: '999+' }).first().waitFor();
    const views = await boxOf(page.locator('#views'));
    for (const tab of await page.locator('#views a').all())
      expect([viewport.width, await tab.textContent(), isWithin(await boxOf(tab), views)]).toEqual([
        viewport.width,
        await tab.textContent(),
        true,
      ]);
  }
});

test('the names of the stages stay above their cards, and the last stage is reached', async () => {
  const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
  const pipeline = await createPipeline(desk.workspace, names);
  for (let count = 0; count < 15; count += 1) await createTicket(desk.workspace, { pipeline: pipeline.id });
  const { page, open } = await dashboardBrowser(desk, { viewport: desktop });
  await open(`/dashboard/tickets/?pipeline=${pipeline.id}`);
  const board = page.locator('#board');
  const heads = page.locator('.stage-name');
  const place = await boxOf(heads.first());
  await page.locator('.ticket-card').last().scrollIntoViewIfNeeded();
  expect(await board.evaluate((box) => box.scrollTop)).toBeGreaterThan(0);
  expect(Math.abs((await boxOf(heads.first())).y - (await boxOf(board)).y)).toBeLessThan(place.height);
  await heads.last().scrollIntoViewIfNeeded();
  expect(isWithin(await boxOf(heads.last()), await boxOf(board))).toBe(true);
});

test('after a comment the page is where the comment is', async () => {
  const ticket = await createTicket(desk.workspace, {});
  const comments = `/api/v1/tickets/${ticket.id}/comments/`;
  for (let count = 1; count <= 20; count += 1)
    expect((await desk.api.post(comments, { body: `Said before: ${count}` })).status).toBe(201);
  const { page, open } = await dashboardBrowser(desk, { viewport: desktop });
  await open(`/dashboard/tickets/${ticket.id}/`);
  await page.getByLabel('New comment').fill('Said last');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  const comment = page.locator('#stream li', { hasText: 'Said last' });
  await comment.waitFor();
  expect(new URL(page.url()).hash).toBe(`#${await comment.getAttribute('id')}`);
  expect(isWithin(await boxOf(comment), { x: 0, y: 0, ...desktop })).toBe(true);
});

test('a form that was refused goes on with the field that is wrong', async () => {
  const ticket = await createTicket(desk.workspace, {});
  const { page, open } = await dashboardBrowser(desk, { viewport: desktop });
  await open(`/dashboard/tickets/${ticket.id}/`);
  await page.getByLabel('Add an affected contact').fill('nobody');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Nothing was found for').waitFor();
  expect(await page.locator(':focus').getAttribute('name')).toBe('typed.add');
});

test('the state of a conversation lies beside its buttons, not below them', async () => {
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const state = { conv_status: 'snoozed', snoozed_until: until, priority: 'urgent' };
  const { receiver_id: receiver } = await createConversation(desk.workspace, state);
  const { page, open } = await dashboardBrowser(desk);
  for (const viewport of [phone, tablet, desktop]) {
    await page.setViewportSize(viewport);
    await open(`/dashboard/inbox/${receiver}/`);
    const who = await boxOf(page.locator('.thread-who'));
    for (const part of await page.locator('.thread-state > *').all())
      expect([viewport.width, await part.textContent(), isWithin(await boxOf(part), who)]).toEqual([
        viewport.width,
        await part.textContent(),
        true,
      ]);
  }
});
