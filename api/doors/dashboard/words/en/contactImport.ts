import { plural } from '../plural';

/** Contacts in and out as files. */
export const contactImport = {
  title: 'Import contacts',
  short: 'Import',
  noPlan: 'Nothing can be imported until a plan is chosen.',
  choose: 'Choose a CSV file, or drop it here',
  size: (rows: string, megabytes: number) => `Up to ${rows} rows and ${megabytes} MB, in UTF-8 or UTF-16.`,
  country: 'Numbers without a country code are of',
  noCountry: 'All numbers have their country code',
  start: 'Import',
  running: 'Importing',
  rows: (count: number) => plural(count, { one: 'row', other: 'rows' }),
  preview: { in: 'in', label: 'Rows of the file', kept: 'kept as it is', leftOut: 'left out' },
  columns: {
    phone: 'Phone',
    bsuid: 'User id',
    receiver_id: 'Phone or user id',
    name: 'Name',
    email: 'Email',
    company: 'Company',
    notes: 'Notes',
    tags: 'Tags',
    marketing_opt_out: 'Opted out of marketing',
  },
  guide: {
    title: 'What the file looks like',
    text:
      'The first row names the columns; one of them is {phone} (with the country code) or {bsuid}. A contact that is ' +
      'there already is changed, and the same file again changes nothing.',
    known: 'Known columns',
    own: 'Your fields',
    lists: 'Lists',
    listsText: 'Tags and several options have semicolons between them.',
    others: 'Other columns',
    othersText: 'Are kept with the contact as they are; those that our own files name in brackets are left out.',
  },
  done: {
    another: 'Import another file',
    see: 'See contacts',
    title: 'Done',
    counts: { received: 'Rows', created: 'Created', updated: 'Changed', failed: 'Refused' },
    kept: (names: string) => `Kept with the contacts as they are: ${names}`,
    refused: 'What was refused or left out',
    download: 'Download as CSV',
    more: 'There are more than these.',
    row: 'Row',
    column: 'Column',
    value: 'Value',
    why: 'Why',
  },
  /** The columns of the file of what was refused. */
  file: { dropped: 'value dropped', refused: 'row refused' },
};
