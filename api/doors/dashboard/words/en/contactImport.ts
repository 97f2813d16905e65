import { plural } from '../plural';

const countRows = (count: number): string => plural(count, { one: 'row', other: 'rows' });

/** Contacts in and out as files. */
export const contactImport = {
  title: 'Import contacts',
  short: 'Import',
  noPlan: 'Nothing can be imported until a plan is chosen.',
  choose: 'Choose a CSV file, or drop it here',
  size: (most: string, megabytes: number) => `Up to ${most} rows and ${megabytes} MB, in UTF-8 or UTF-16.`,
  country: 'Numbers without a country code are of',
  noCountry: 'All numbers have their country code',
  start: 'Import',
  running: 'Importing',
  countRows,
  namesNobody: 'No column was found that is the phone number. Name one “Phone”.',
  preview: {
    in: 'in',
    ask: 'Say what each column is. Nothing is imported yet.',
    label: 'Rows of the file',
    column: (name: string) => `What “${name}” is`,
    unnamed: 'Without a name',
    more: (count: number) =>
      `${plural(count, { one: 'more column is', other: 'more columns are' })} kept with the contacts.`,
    start: (count: number) => `Import ${countRows(count)}`,
    progress: (count: number) => `{done} of ${countRows(count)}`,
    namesNobody: 'Say which column is the phone number: above it, choose “Phone”.',
  },
  columns: {
    '': 'Leave out',
    '(attribute)': 'Keep as it is',
    phone: 'Phone',
    name: 'Name',
    '(first_name)': 'First name',
    '(last_name)': 'Last name',
    email: 'Email',
    company: 'Company',
    notes: 'Notes',
    tags: 'Tags',
    marketing_opt_out: 'Opted out of marketing',
    bsuid: 'User id of a hidden number',
    receiver_id: 'Phone or user id',
  },
  ownFields: 'Your fields',
  check: {
    label: 'What the import would do',
    counts: {
      created: 'New contacts',
      updated: 'Known, brought up to date',
      failed: 'Rows refused',
      optedOut: 'Opted out of marketing by this file',
      keptOut: 'Stay opted out, whatever the file says',
    },
    problems: 'What is wrong with some rows',
    refused: 'refused',
    dropped: 'value left out',
    first: (row: number) => `first in row ${row}`,
  },
  /** Why a row is refused, where the API has other words for it. */
  reasons: {
    noNumber: 'The row has no phone number.',
    noPhone: 'This is no phone number.',
    userId: 'user id',
  },
  guide: {
    title: 'What the file looks like',
    text:
      'The first row names the columns; one of them is the phone number. Files of Google, Outlook, HubSpot and ' +
      'Chatwoot are read as they are. A contact that is there already is changed, and the same file again changes ' +
      'nothing.',
    lists: 'Lists',
    listsText: 'Tags and several options have semicolons between them.',
    others: 'Other columns',
    othersText: 'Are kept with the contact as they are, or left out, as you say.',
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
  /** What the script says. */
  script: {
    unreachable: 'The server cannot be reached.',
    unexpected: 'The server did not answer as it should.',
    tooLarge: 'The file is too large. Cut it into smaller ones.',
    checking: 'Looking through the rows…',
    begun: '{count} rows are imported; import the file again to go on, that changes nothing twice.',
    outcome: 'Outcome of the import',
    stopped: 'Stopped',
    download: 'Download the rows that were refused, with what is wrong',
    table: 'What was refused',
  },
  /** The columns of the file of what was refused. */
  file: { dropped: 'value dropped', refused: 'row refused' },
};
