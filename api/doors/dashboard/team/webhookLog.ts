import { momentOfLocal } from '../../../core/zones';
import { replayShape } from '../../../services/resources/webhooks/operations';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { webhooksPath as path, webhookPage } from './webhookPage';

const { test, log, replay: own } = words.webhooks;

const scope = 'webhook.manage';

/** A subscription's page: what was delivered, a test, and sending again. */
export const webhookLogPages = definePages([
  { method: 'GET', path: `${path}:id/`, scope, run: (page) => webhookPage(page) },
  {
    method: 'POST',
    path: `${path}:id/test/`,
    scope,
    run: (page) => act(page, 'webhooks.test', {}, test.done),
  },
  {
    method: 'POST',
    path: `${path}:id/deliveries/:delivery_id/redeliver/`,
    scope,
    run: (page) => act(page, 'webhooks.redeliver', { delivery_id: page.params['delivery_id'] }, log.sentAgain),
  },
  { method: 'POST', path: `${path}:id/replay/`, scope, run: replay },
]);

async function replay(page: PageRequest): Promise<PageAnswer> {
  const { from: fromText = '', to: toText = '' } = page.form;
  const zone = page.workspace.timezone;
  const [from, to] = [momentOfLocal(fromText, zone), momentOfLocal(toText, zone)];
  if (!from) return webhookPage(page, { from: [own.noMoment] });
  if (toText !== '' && !to) return webhookPage(page, { to: [own.noEnd] });
  const given = { id: page.params['id'], from: from.toISOString(), to: to?.toISOString() };
  const done = await page.attempt(() => readOne(page, replayShape, 'webhooks.replay', given));
  return 'errors' in done ? webhookPage(page, done.errors) : back(page, own.done(done.value.replayed));
}

async function act(page: PageRequest, operation: string, input: object, text: string): Promise<PageAnswer> {
  const done = await page.attempt(() => page.call(operation, { id: page.params['id'], ...input }));
  return 'errors' in done ? webhookPage(page, done.errors) : back(page, text);
}

function back(page: PageRequest, text: string): PageAnswer {
  return page.redirect(`${path}${encodeURIComponent(page.params['id'] ?? '')}/`, { text });
}
