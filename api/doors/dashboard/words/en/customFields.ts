/** Custom fields. */
export const customFields = {
  title: 'Custom fields',
  one: 'Custom field',
  new: 'New field',
  newTitle: 'New custom field',
  empty: {
    title: 'No custom fields yet',
    text: 'Keep what your team needs to know about a contact or a ticket, for example the plan or the order number.',
  },
  made: 'The field is created.',
  saved: 'The field is saved.',
  deleted: 'The field is deleted with its values.',
  delete: {
    title: 'Delete this field?',
    named: (name: string) => `Delete “${name}”?`,
    text: 'All of its values are deleted with it. This cannot be undone.',
    button: 'Delete this field',
  },
  fields: {
    label: { label: 'Label', hint: 'What members see.' },
    name: {
      label: 'Key',
      hint: 'What the API and imports call it: lower-case letters, digits and underscores. It cannot be changed later.',
    },
    field_type: { label: 'Type' },
    options: { label: 'Options', hint: 'One per line; for the two types with options only.' },
    applies_to: { label: 'Shown with' },
  },
  typeFixed: 'Cannot be changed once a value exists.',
  types: {
    text: 'Text',
    number: 'Number',
    boolean: 'Yes or no',
    date: 'Date',
    select: 'One of several options',
    multi_select: 'Any number of several options',
  },
  cell: 'Name',
  subjects: { contacts: 'Contacts', conversations: 'Conversations', tickets: 'Tickets' },
  more: (count: number) => ` and ${count} more`,
};
