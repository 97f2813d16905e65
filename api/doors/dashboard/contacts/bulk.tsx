import { bulkOutcomeShape, bulkUndoShape } from '../../../services/processes/bulkChanges/operations';
import { undoSeconds } from '../../../services/processes/bulkChanges/service';
import { BulkHead, bulkData } from '../bulkParts';
import { Act } from '../formParts';
import { numberText } from '../formats';
import { Icon, type Html } from '../html';
import { undoOfMany } from '../lastChange';
import { definePages, eventsHeader, type PageAnswer, type PageRequest, type Toast } from '../page';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { sendExport } from './exportFile';
import { contactFilters, matchingOf, type ContactFilters } from './filters';
import { contactsPath } from './read';

const { bulk: said } = words.contacts;
const bulkPath = `${contactsPath}bulk/`;

/** Changes of many contacts at once. */
export const contactBulkPages = definePages([
  {
    method: 'POST',
    path: bulkPath,
    scope: 'contact.edit',
    // With scripts it is asked in the page (bulk.js), and said that it was.
    confirm: ({ form }) =>
      Promise.resolve(
        form['all'] === 'true' ? { ...said.ask, text: `${said.ask.text} ${said.canBeTakenBack(undoSeconds)}` } : null,
      ),
    run: changeMany,
  },
  { method: 'POST', path: `${bulkPath}undo/`, scope: 'contact.edit', run: undoMany },
  { method: 'POST', path: `${bulkPath}export/`, scope: 'contact.view', run: sendExport },
]);

interface BulkGiven {
  readonly page: PageRequest;
  readonly filters: ContactFilters;
  readonly count: number;
}

/** The form that changes the selected contacts, or writes them into a file. */
export function BulkForm({ page, filters, count }: BulkGiven): Html {
  const counted = { count: numberText(count), said };
  return (
    <Act
      class="bulk bulk-float"
      id="bulk"
      action={page.link(bulkPath, filters)}
      csrf={page.csrf}
      aria-label={said.label}
      {...bulkData(counted, said.canBeTakenBack(undoSeconds))}
    >
      <BulkHead {...counted} />
      <p class="bulk-acts">
        <label class="visually-hidden" for="bulk-tag">
          {said.tagLabel}
        </label>
        <input class="input" id="bulk-tag" name="tag" placeholder={said.tag} maxlength={255} autocomplete="off" />
        <button class="button button-small" name="do" value="add">
          <Icon name="tag" />
          {said.addTag}
        </button>
        <button class="button button-small" name="do" value="remove">
          {said.removeTag}
        </button>
        <button class="button button-small" name="do" value="out">
          <Icon name="bell-off" />
          {said.optOut}
        </button>
        <button
          class="button button-small"
          formaction={page.link(`${bulkPath}export/`, filters)}
          formmethod="post"
          data-plain=""
        >
          <Icon name="download" />
          {said.export}
        </button>
      </p>
    </Act>
  );
}

async function changeMany(page: PageRequest): Promise<PageAnswer> {
  const { form } = page;
  const filters = contactFilters(page);
  const which = form['all'] === 'true' ? { filters: matchingOf(filters) } : { receiver_ids: page.all('receiver') };
  const tags = form['tag'] ? [form['tag']] : [];
  const changes: Readonly<Record<string, object>> = {
    add: tags.length > 0 ? { add_tags: tags } : {},
    remove: tags.length > 0 ? { remove_tags: tags } : {},
    out: { marketing_opt_out: true },
  };
  const change = changes[form['do'] ?? ''] ?? {};
  const done = await page.attempt(() => readOne(page, bulkOutcomeShape, 'bulkChanges.contacts', { ...which, change }));
  // What is refused leaves the selection as it is (bulk.js).
  if ('errors' in done) return answer(page, filters, refusalOf(done.errors), 422);
  const { id, changed, refused } = done.value;
  const undo = id === null ? {} : undoOfMany('contacts', id);
  return answer(page, filters, { text: said.changed(changed, refused), ...undo });
}

async function undoMany(page: PageRequest): Promise<PageAnswer> {
  const { id } = page.form;
  const done = await page.attempt(() => readOne(page, bulkUndoShape, 'bulkChanges.undoContacts', { id }));
  if ('errors' in done) return answer(page, {}, refusalOf(done.errors));
  const { restored, kept } = done.value;
  return answer(page, {}, { text: said.restored(restored, kept) });
}

function answer(page: PageRequest, filters: ContactFilters, toast: Toast, status = 204): PageAnswer {
  if (!page.isPartial) return page.redirect(page.link(contactsPath, filters), toast);
  return { status, html: '', headers: { 'HX-Trigger': eventsHeader({ 'contacts:changed': {}, toast }) } };
}

function refusalOf(errors: Readonly<Record<string, readonly string[]>>): Toast {
  return { text: Object.values(errors).flat().join(' '), kind: 'bad' };
}
