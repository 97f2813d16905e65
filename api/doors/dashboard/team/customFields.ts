import { fieldTypes, subjects } from '../../../services/resources/customFields/schema';
import type { FieldErrors } from '../../../core/http/errors';
import { sentence } from '../fieldViews';
import { readLines } from '../forms';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import type { CustomField } from '../lookups';
import { settingsPage } from './settings';

const path = '/dashboard/custom-fields/';
const section = 'fields';
const typeWords: Readonly<Record<string, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Date',
  select: 'One of several options',
  multi_select: 'Any number of several options',
};

/** A custom field as a row of the list. */
interface FieldRow {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** The first options, followed by the number of those left out. */
  readonly options: string;
  readonly subjects: string;
  readonly path: string;
}

const optionsShown = 8;

function fieldRow({ id, name, label, field_type: type, applies_to: targets, options }: CustomField): FieldRow {
  const all = options ?? [];
  const more = all.length > optionsShown ? ` and ${all.length - optionsShown} more` : '';
  return {
    name,
    label,
    type: typeWords[type] ?? type,
    options: `${all.slice(0, optionsShown).join(', ')}${more}`,
    subjects: targets.join(', '),
    path: `${path}${id}/`,
  };
}

/** Definitions of custom fields. */
export const customFieldPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'contact.view',
    run: async (page) => {
      const fields = (await page.call<readonly CustomField[]>('customFields.list')).map(fieldRow);
      return settingsPage(page, '/settings/fields', { fields, path }, { section, title: 'Custom fields' });
    },
  },
  {
    method: 'GET',
    path: `${path}new/`,
    scope: 'contact.edit',
    run: (page) => Promise.resolve(form(page, null, { field_type: 'text', applies_to: ['contacts'] })),
  },
  {
    method: 'POST',
    path: `${path}new/`,
    scope: 'contact.edit',
    run: async (page) => {
      const { name, ...values } = valuesOf(page);
      const made = await page.attempt(() =>
        page.call('customFields.create', { name, ...values, label: values.label || undefined }),
      );
      if ('errors' in made) return form(page, null, formValues(page), made.errors);
      return page.redirect(path, { text: 'The field is created.' });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope: 'contact.edit',
    run: async (page) => {
      const field = await page.call<CustomField>('customFields.get', { id: page.params['id'] });
      return form(page, field, { ...field, options: (field.options ?? []).join('\n') });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope: 'contact.edit',
    run: async (page) => {
      const { label, field_type, applies_to, options } = valuesOf(page);
      const { id } = page.params;
      const saved = await page.attempt(() =>
        page.call('customFields.update', { id, label, field_type, applies_to, options }),
      );
      if ('errors' in saved)
        return form(page, await page.call<CustomField>('customFields.get', { id }), formValues(page), saved.errors);
      return page.redirect(path, { text: 'The field is saved.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope: 'contact.edit',
    confirm: {
      title: 'Delete this field?',
      text: 'All of its values are deleted with it. This cannot be undone.',
      button: 'Delete',
    },
    run: async (page) => {
      await page.call('customFields.delete', { id: page.params['id'] });
      return page.redirect(path, { text: 'The field is deleted with its values.' });
    },
  },
]);

interface FieldValues {
  readonly name: string;
  readonly label: string;
  readonly field_type: string;
  readonly applies_to: readonly string[];
  readonly options: readonly string[];
}

function valuesOf(page: PageRequest): FieldValues {
  const { name = '', label = '', field_type: type = '', options = '' } = page.form;
  return {
    name,
    label,
    field_type: type,
    applies_to: page.all('applies_to'),
    options: /select$/.test(type) ? readLines(options) : [],
  };
}

function formValues(page: PageRequest): object {
  return { ...page.form, applies_to: page.all('applies_to') };
}

function form(page: PageRequest, field: CustomField | null, values: object, errors?: FieldErrors): PageAnswer {
  const types = fieldTypes.map((value) => ({ value, label: typeWords[value] }));
  const targets = subjects.map((value) => ({ value, label: sentence(value) }));
  return settingsPage(
    page,
    '/settings/fieldForm',
    {
      field,
      heading: field?.label ?? 'New custom field',
      values,
      errors,
      types,
      typeHint: field ? 'Cannot be changed once a value exists.' : '',
      targets,
      path,
      action: `${path}${field?.id ?? 'new'}/`,
      button: field ? 'Save' : 'Create',
    },
    { section, title: field ? 'Custom field' : 'New custom field', ...(errors ? { status: 422 } : {}) },
  );
}
