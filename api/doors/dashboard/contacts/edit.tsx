import { invalid, type FieldErrors } from '../../../core/http/errors';
import { Fault } from '../../../core/http/fields';
import { readTypedPhone } from '../../../core/phones';
import type { FormField } from '../fieldViews';
import { FormFields } from '../formParts';
import {
  changedFields,
  customValueViews,
  definitionsFor,
  editedTags,
  formField,
  readCustomValues,
  tagsOf,
  unshown,
  type FieldDefinition,
} from '../forms';
import type { PageAnswer, PageRequest } from '../page';
import { Errors, Form } from '../parts';
import { Actions, Head } from '../headParts';
import { words } from '../words';
import { contactsPath, type Contact } from './read';

const { form: said } = words.contacts;
const names = ['phone', 'name', 'email', 'company', 'tags', 'notes', 'bsuid'] as const;

/** Answers with the form of a new contact. */
export async function showForm(page: PageRequest, errors: FieldErrors = {}): Promise<PageAnswer> {
  const definitions = await definitionsFor(page, 'contacts');
  const fields = contactFields(page, null, errors);
  const custom = customValueViews(page, definitions, {}, errors['custom_fields']);
  const title = words.contacts.new;
  const body = (
    <div class="column">
      <Head title={title} />
      <Form class="panel" action={`${contactsPath}new/`} csrf={page.csrf}>
        <Errors errors={unshown(errors, custom)} fields={fields.map(({ name }) => name)} />
        <FormFields fields={fields} />
        {custom.length > 0 && (
          <>
            <h2>{said.custom}</h2>
            <FormFields fields={custom} />
          </>
        )}
        <Actions save={said.create} cancel={contactsPath} />
      </Form>
    </div>
  );
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return page.page(body, { title, place: 'contacts', styles: ['desk.css'], status });
}

/** Returns the fields of a contact, or of a new one; what names a contact is given once, when it is created. */
export function contactFields(
  page: Pick<PageRequest, 'form' | 'workspace'>,
  contact: Contact | null,
  errors: FieldErrors,
): readonly FormField[] {
  const tags = contact ? tagsOf(contact.tags) : [];
  const stored: Readonly<Record<string, unknown>> = { ...contact, tags: tags?.join(', ') ?? '' };
  const home = page.workspace.country;
  const more: Readonly<Partial<Record<(typeof names)[number], Partial<FormField>>>> = {
    phone: { type: 'tel', hint: home ? said.phoneOf(home) : said.phone },
    email: { type: 'email' },
    tags: contact ? {} : { hint: said.tags },
    notes: { type: 'textarea', rows: contact ? 1 : 4 },
    bsuid: { hint: said.bsuid },
  };
  // Tags that are no list of texts can be changed over the API only.
  const shown = names.filter((name) => (name === 'phone' || name === 'bsuid' ? !contact : name !== 'tags' || tags));
  return shown.map((name) => {
    const field = { name, label: said.labels[name], attributes: { autocomplete: 'off' }, ...more[name] };
    return formField(page, field, stored[name], errors);
  });
}

/** Reads the form: what was changed in it. Throws the 400 of a number that is none. */
export function readForm(
  page: PageRequest,
  definitions: readonly FieldDefinition[],
  contact?: Contact,
): Record<string, unknown> {
  const { tags, ...changed } = changedFields(page, names);
  const custom = readCustomValues(page, definitions);
  const phone = changed['phone'] ? readTypedPhone(changed['phone'], page.workspace.country) : null;
  if (phone instanceof Fault) throw invalid({ phone: [...phone.reasons] });
  return {
    ...changed,
    ...(phone === null ? {} : { phone }),
    ...(tags === undefined ? {} : { tags: editedTags(contact?.tags, page.form['was.tags'], tags) }),
    ...(custom ? { custom_fields: custom } : {}),
  };
}
