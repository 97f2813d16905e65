import { fieldTypes, subjects } from '../../../services/resources/customFields/schema';
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
  multi_select: 'Several of several options',
};

/** Definitions of custom fields. */
export const customFieldPages = definePages([
  {
    method: 'GET',
    path,
    scope: 'contact.view',
    run: async (page) => {
      const fields = await page.call<readonly CustomField[]>('customFields.list');
      return settingsPage(page, '/settings/fields', { fields, typeWords, path }, { section, title: 'Custom fields' });
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
      return page.redirect(path, { text: 'The field is made.' });
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
    options: /select$/.test(type)
      ? options
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
      : [],
  };
}

function formValues(page: PageRequest): object {
  return { ...page.form, applies_to: page.all('applies_to') };
}

function form(page: PageRequest, field: CustomField | null, values: object, errors?: object): PageAnswer {
  const types = fieldTypes.map((value) => ({ value, label: typeWords[value] }));
  const targets = subjects.map((value) => ({ value, label: value.slice(0, 1).toUpperCase() + value.slice(1) }));
  return settingsPage(
    page,
    '/settings/fieldForm',
    { field, values, errors, types, targets, path },
    { section, title: field ? 'Custom field' : 'New custom field', ...(errors ? { status: 422 } : {}) },
  );
}
