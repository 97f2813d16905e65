/** The panel beside a thread: who somebody is, and what is known of them. */
export const details = {
  label: (title: string) => `About ${title}`,
  optedOut: 'Opted out of marketing',
  tags: {
    title: 'Tags',
    unknown: 'The tags have a form that only the API knows.',
    label: 'Tags, with commas between them',
    placeholder: 'Add tags, with commas',
  },
  person: { title: 'Person', name: 'Name', email: 'Email', company: 'Company', notes: 'Notes' },
  fields: { title: 'Fields', several: 'With semicolons between them' },
  upcoming: 'What will happen',
  facts: {
    title: 'Facts',
    first: 'First message',
    answer: 'Answer until',
    snoozed: 'Snoozed until',
    timer: 'The timer in Temporal',
    ad: 'Came by the ad',
  },
  activity: 'Activity',
  showActivity: 'Show what happened',
  saved: 'Saved.',
  noActivity: 'Nothing has happened yet.',
  back: 'Back',
};
