import type { FieldErrors } from '../../../core/http/errors';
import { maxCounted, previewMerge } from '../../../services/processes/contactMerge/preview';
import { contactShape, serializeContact } from '../../../services/resources/contacts/serializer';
import { customValueViews, definitionsFor, tagsOf, textOf, type FieldDefinition } from '../forms';
import { Hidden } from '../formParts';
import { numberText } from '../formats';
import type { Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { asking, Errors, Form } from '../parts';
import { Face } from '../people';
import { Head } from '../headParts';
import { readOne, readPage } from '../typedCalls';
import { words } from '../words';
import { contactPath, contactsPath, readContact, titleOf, type Contact } from './read';

const { merge: said } = words.contacts;
const path = `${contactsPath}:receiver_id/merge/`;
const shownFound = 10;

/** Two contacts that are one person: the other one is looked for, both are shown beside each other, and then merged. */
export const contactMergePages = definePages([
  { method: 'GET', path, scope: 'contact.delete', asksOnce: true, run: (page) => show(page) },
  {
    method: 'POST',
    path,
    scope: 'contact.delete',
    confirm: said.ask,
    run: async (page) => {
      const { receiver_id: into } = await readContact(page);
      const { with: other = '' } = page.form;
      const done = await page.attempt(() =>
        readOne(page, contactShape, 'contacts.merge', { receiver_id: other, into }),
      );
      if ('errors' in done) return show(page, other, done.errors);
      return page.redirect(contactPath(done.value.receiver_id), { text: said.done });
    },
  },
]);

async function show(page: PageRequest, other = page.query['with'], errors: FieldErrors = {}): Promise<PageAnswer> {
  const contact = await readContact(page);
  const title = said.title(titleOf(contact));
  const own = contactPath(contact.receiver_id);
  const body = (
    <div class="column">
      <Head title={title} back={{ href: own, label: said.back }} />
      {other === undefined || other === '' ? await search(page, contact) : await beside(page, contact, other, errors)}
    </div>
  );
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return page.page(body, { title, place: 'contacts', styles: ['desk.css'], status });
}

/** The field by which the other contact is looked for, and whom it finds. */
async function search(page: PageRequest, contact: Contact): Promise<Html> {
  const text = page.query['search'] ?? '';
  const action = `${contactPath(contact.receiver_id)}merge/`;
  const query = { search: text, page_size: shownFound + 1, count: false };
  const list = text === '' ? null : await page.attempt(() => readPage(page, contactShape, 'contacts.list', query));
  const found = list && 'value' in list ? list.value.items.filter(({ id }) => id !== contact.id) : [];
  return (
    <>
      <p class="soft">{said.about}</p>
      <form method="get" action={action} role="search">
        <label class="filter-search">
          <span class="visually-hidden">{said.search}</span>
          <input
            class="input"
            type="search"
            name="search"
            value={text}
            placeholder={said.placeholder}
            maxlength={255}
            autofocus
            hx-get={action}
            hx-trigger="input changed delay:250ms"
            hx-target="#found"
            hx-select="#found"
            hx-sync="this:replace"
          />
        </label>{' '}
        <button class="button unscripted">{said.find}</button>
      </form>
      <div id="found" aria-live="polite">
        {list && 'errors' in list && <Errors errors={list.errors} />}
        {text !== '' && found.length === 0 && <p class="soft">{said.nobody}</p>}
        <ul class="people">
          {found.slice(0, shownFound).map((one) => (
            <li>
              <a class="person" href={page.link(action, { with: one.receiver_id })}>
                <Face id={one.id} name={titleOf(one)} />
                <span class="person-name cut" dir="auto">
                  {titleOf(one)}
                </span>
                <span class="person-line cut">{[one.name && one.phone, one.email].filter(Boolean).join(' · ')}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** A line of the comparison: what both have, and what will be. */
interface Line {
  readonly label: string;
  readonly kept: string;
  readonly gone: string;
  readonly merged: string;
}

/** Both beside each other, and the one that they become. */
async function beside(page: PageRequest, contact: Contact, other: string, errors: FieldErrors): Promise<Html> {
  const seen = await page.attempt(() => previewMerge(page.ctx, other, contact.receiver_id));
  const own = `${contactPath(contact.receiver_id)}merge/`;
  const otherWay = (
    <a class="button" href={own}>
      {said.another}
    </a>
  );
  if ('errors' in seen)
    return (
      <>
        <Errors errors={Object.keys(errors).length > 0 ? errors : seen.errors} />
        <div class="actions">{otherWay}</div>
      </>
    );
  const definitions = await definitionsFor(page, 'contacts');
  const { kept, gone, merged } = seen.value;
  const sides = [kept, gone, merged].map((side) => ({
    ...side,
    values: valuesOf(page, serializeContact(side.contact), definitions),
  }));
  const counted = (count: number): string => (count < maxCounted ? numberText(count) : said.orMore(numberText(count)));
  const line = (label: string, [first = '', second = '', third = '']: readonly string[]): Line => ({
    label,
    kept: first,
    gone: second,
    merged: third,
  });
  const lines = [
    ...(sides[0]?.values ?? []).map(([label], index) =>
      line(
        label,
        sides.map(({ values }) => values[index]?.[1] ?? ''),
      ),
    ),
    line(
      said.messages,
      sides.map(({ messages }) => counted(messages)),
    ),
    line(
      said.tickets,
      sides.map(({ tickets }) => numberText(tickets)),
    ),
  ].filter((one) => one.kept || one.gone || one.merged);
  const names = [titleOf(contact), titleOf(serializeContact(gone.contact))] as const;
  return (
    <>
      <Errors errors={errors} />
      <p>{said.stays(...names)}</p>
      <div class="table-scroll" tabindex={0} role="region" aria-label={said.label}>
        <table class="table table-beside">
          <thead>
            <tr>
              <td></td>
              <th scope="col">{said.columns.kept}</th>
              <th scope="col">{said.columns.gone}</th>
              <th scope="col">{said.columns.merged}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((one) => (
              <tr>
                <th scope="row">{one.label}</th>
                {(['kept', 'gone', 'merged'] as const).map((side) => (
                  <td dir="auto">{one[side] || <span class="soft">–</span>}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">{said.numbers}</p>
      <div class="note note-warn">
        <p>{said.forGood}</p>
      </div>
      <Form action={own} csrf={page.csrf} {...asking({ ...said.ask, title: said.asked(...names) })}>
        <Hidden values={[['with', other]]} />
        <div class="actions">
          <button class="button button-main" type="submit">
            {said.ask.button}
          </button>
          <a
            class="button"
            href={page.link(`${contactPath(gone.contact.receiver_id)}merge/`, { with: contact.receiver_id })}
          >
            {said.swap}
          </a>
          {otherWay}
        </div>
      </Form>
    </>
  );
}

/** Returns what a contact has, by the words for it. */
function valuesOf(
  page: PageRequest,
  contact: Contact,
  definitions: readonly FieldDefinition[],
): readonly (readonly [label: string, text: string])[] {
  const { about, form, marketing } = words.contacts;
  const custom = customValueViews({ form: {}, all: () => [] }, definitions, contact.custom_fields);
  return [
    [form.labels.name, contact.name],
    [about.phone, contact.phone],
    [about.email, contact.email],
    [about.company, contact.company],
    [about.tags, tagsOf(contact.tags)?.join(', ') ?? textOf(contact.tags)],
    [about.notes, contact.notes],
    [marketing.title, contact.marketing_opt_out ? marketing.isOut : said.getsMarketing],
    [about.first, page.moment(contact.first_message_at)],
    ...custom.map(({ label, shown }) => [label, shown] as const),
  ];
}
