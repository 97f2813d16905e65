import { cut } from '../../../core/text/cut';
import { rescuePath as path } from '../../../services/identity/securityLog/securityNotices';
import { rescuedShape, rescueShape } from '../../../services/processes/credentials/operations';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Checks, Form, Tabs } from '../parts';
import { readList, readOne } from '../typedCalls';
import { words } from '../words';
import { settingsPage } from './settings';
import { Head } from '../headParts';

const { rescue, account } = words;
const usualDays = 30;
const dayChoices = [1, 7, usualDays, 90];
const maxLetters = 160;

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
      const done = await readOne(page, rescuedShape, 'rescue.end', { days: page.form['days'], keep });
      return page.redirect('/dashboard/account/', { text: rescue.ended(done.ended.length) });
    },
  },
]);

async function show(page: PageRequest): Promise<PageAnswer> {
  const days = dayChoices.find((choice) => String(choice) === page.query['days']) ?? usualDays;
  const items = (await readList(page, rescueShape, 'rescue.list', { days })).map((item) => {
    const facts = [
      rescue.since(page.moment(item.created_at)),
      item.last_used_at === null ? '' : rescue.lastUsed(page.moment(item.last_used_at)),
      item.places && rescue.from(item.places),
      rescue.used[item.kind](item.uses),
    ];
    const name = cut(item.name, maxLetters) || rescue.unnamed;
    const label = `${rescue.kinds[item.kind]}: ${name}`;
    return { value: item.word, label, detail: facts.filter((fact) => fact !== '').join(' · ') };
  });
  const shown = items.map(({ value }) => value);
  const tabs = dayChoices.map((choice) => ({
    label: rescue.days(choice),
    href: page.link(path, { days: choice }),
    isCurrent: choice === days,
  }));
  const body = (
    <>
      <Head title={rescue.title} back={{ href: '/dashboard/account/', label: account.title }} />
      <p>{rescue.about}</p>
      <Tabs tabs={tabs} label={rescue.madeIn} />
      <Form class="panel column" action={path} csrf={page.csrf}>
        <input type="hidden" name="days" value={days} />
        {items.length === 0 ? (
          <p class="soft">{rescue.nothing}</p>
        ) : (
          <>
            {shown.map((word) => (
              <input type="hidden" name="shown" value={word} />
            ))}
            <Checks name="end" legend={rescue.ends} options={items} values={shown} />
          </>
        )}
        {page.may('rescue.end') && (
          <div class="actions">
            <button class="button button-bad" type="submit">
              {rescue.end}
            </button>
          </div>
        )}
      </Form>
    </>
  );
  return settingsPage(page, body, { section: 'account', title: rescue.title });
}
