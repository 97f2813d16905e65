/** What many pages say. */
export const common = {
  edit: 'Edit',
  save: 'Save',
  create: 'Create',
  cancel: 'Cancel',
  delete: 'Delete',
  optional: 'optional',
  actions: 'Actions',
  default: 'default',
  pages: 'Pages',
  previous: 'Previous',
  next: 'Next',
  inAll: (count: string) => `${count} in all`,
  settings: 'Settings',
  choice: { yes: 'Yes', no: 'No', several: 'Hold Ctrl or ⌘ to choose several.' },
};
