/** Message templates, which are made at the platform. */
export const templates = {
  title: 'Templates',
  about: 'Messages that the platform has to approve before they are sent. They are made and changed there.',
  filters: { status: 'Status', category: 'Category', anyStatus: 'Any status', anyCategory: 'Any category' },
  show: 'Show',
  empty: { title: 'No templates', text: 'They appear here after the next sync.', none: 'None fits.', all: 'Show all' },
  columns: { name: 'Name', language: 'Language', category: 'Category', status: 'Status', id: 'Id', account: 'Account' },
  refused: (reason: string) => `The platform refused it: ${reason}`,
  reads: 'What a customer reads',
  file: (kind: string) => `A file: ${kind}`,
  written: 'The platform writes its text.',
};
