import { momentOfLocal } from '../../../core/zones';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { webhooksPath as path, webhookPage } from './webhookPage';

const scope = 'webhook.manage';

/** A subscription's page: what was delivered, a test, and sending again. */
export const webhookLogPages = definePages([
  { method: 'GET', path: `${path}:id/`, scope, run: (page) => webhookPage(page) },
  {
    method: 'POST',
    path: `${path}:id/test/`,
    scope,
    run: (page) => act(page, 'webhooks.test', {}, 'The test event is on its way. The log shows what becomes of it.'),
  },
  {
    method: 'POST',
    path: `${path}:id/deliveries/:delivery_id/redeliver/`,
    scope,
    run: (page) =>
      act(
        page,
        'webhooks.redeliver',
        { delivery_id: page.params['delivery_id'] },
        'The event goes out again, with the same id.',
      ),
  },
  { method: 'POST', path: `${path}:id/replay/`, scope, run: replay },
]);

async function replay(page: PageRequest): Promise<PageAnswer> {
  const { from: fromText = '', to: toText = '' } = page.form;
  const zone = page.workspace.timezone;
  const [from, to] = [momentOfLocal(fromText, zone), momentOfLocal(toText, zone)];
  if (!from) return webhookPage(page, { from: ['Enter a date and a time.'] });
  if (toText !== '' && !to) return webhookPage(page, { to: ['Enter a date and a time, or leave it empty for now.'] });
  const done = await page.attempt(() =>
    page.call<{ replayed: number }>('webhooks.replay', {
      id: page.params['id'],
      from: from.toISOString(),
      to: to?.toISOString(),
    }),
  );
  if ('errors' in done) return webhookPage(page, done.errors);
  const { replayed } = done.value;
  const text = replayed === 0 ? 'Nothing happened in that time that it asks for.' : `${replayed} events go out again.`;
  return back(page, replayed === 1 ? 'One event goes out again.' : text);
}

async function act(page: PageRequest, operation: string, input: object, text: string): Promise<PageAnswer> {
  const done = await page.attempt(() => page.call(operation, { id: page.params['id'], ...input }));
  return 'errors' in done ? webhookPage(page, done.errors) : back(page, text);
}

function back(page: PageRequest, text: string): PageAnswer {
  return page.redirect(`${path}${encodeURIComponent(page.params['id'] ?? '')}/`, { text });
}
