import { cut } from '../../../core/text/cut';
import { rescuePath as path } from '../../../services/identity/securityLog/told';
import { amountText } from '../formats';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { settingsPage } from './settings';

/** What goes on for the member, as its operation gives it. */
interface Item {
  readonly word: string;
  readonly kind: string;
  readonly name: string;
  readonly places: string;
  readonly uses: number;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

const usualDays = '30';
const dayChoices = ['1', '7', usualDays, '90'];
const maxLetters = 160;

/** What a kind is called, and what it has done. */
const kinds: Readonly<Record<string, { readonly label: string; readonly used: (uses: number) => string }>> = {
  session: { label: 'Session', used: (uses) => amountText(uses, 'action') },
  browser: { label: 'Browser that takes push', used: () => '' },
  link: { label: 'Link for a password', used: () => '' },
  api_key: { label: 'API key', used: (uses) => amountText(uses, 'call') },
  agent: { label: 'Agent', used: (uses) => amountText(uses, 'call') },
  oauth_client: { label: 'Application', used: (uses) => amountText(uses, 'connection') },
  webhook: { label: 'Webhook', used: (uses) => `${amountText(uses, 'event')} delivered` },
  broadcast: { label: 'Scheduled broadcast', used: () => '' },
  message: { label: 'Message for later', used: () => '' },
  rule: { label: 'Rule', used: (uses) => amountText(uses, 'run') },
};

/** The one page that ends what is in wrong hands. */
export const rescuePages = definePages([
  { method: 'GET', path, scope: null, run: show },
  {
    method: 'POST',
    path,
    scope: null,
    run: async (page) => {
      // Boxes that are not ticked do not come: what was shown and is not among them goes on.
      const ended = page.all('end');
      const keep = page.all('shown').filter((word) => !ended.includes(word));
      const done = await page.call<{ ended: readonly Item[] }>('rescue.end', { days: page.form['days'], keep });
      const text = `${amountText(done.ended.length, 'thing')} ended. Choose a new password, too.`;
      return page.redirect('/dashboard/account/', { text });
    },
  },
]);

async function show(page: PageRequest): Promise<PageAnswer> {
  const days = dayChoices.find((choice) => choice === page.query['days']) ?? usualDays;
  const items = (await page.call<readonly Item[]>('rescue.list', { days })).map((item) => {
    const { label = item.kind, used } = kinds[item.kind] ?? {};
    const facts = [
      `since ${page.moment(item.created_at)}`,
      item.last_used_at === null ? '' : `last used ${page.moment(item.last_used_at)}`,
      item.places && `from ${item.places}`,
      used?.(item.uses) ?? '',
    ];
    const name = cut(item.name, maxLetters) || 'without a name';
    return { value: item.word, label: `${label}: ${name}`, detail: facts.filter((fact) => fact !== '').join(' · ') };
  });
  const tabs = dayChoices.map((choice) => ({
    label: choice === '1' ? 'Last day' : `Last ${choice} days`,
    href: page.link(path, { days: choice }),
    isCurrent: choice === days,
  }));
  const data = { path, days, tabs, items, words: items.map(({ value }) => value) };
  return settingsPage(page, '/settings/rescue', data, { section: 'account', title: 'Was this not you?' });
}
