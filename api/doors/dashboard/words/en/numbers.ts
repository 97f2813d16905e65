/** The numbers that customers write to. */
export const numbers = {
  title: 'Numbers',
  about: 'The numbers that customers write to, as the messaging platform has them. They are changed there.',
  empty: {
    title: 'No number is connected',
    text: 'Whoever operates this installation connects the account that holds your numbers, on its command line:',
  },
  account: (id: string) => `Account ${id}`,
  synced: 'synced',
  notSynced: 'not synced yet',
  none: 'It has no numbers.',
  numbersOf: (name: string) => `Numbers of ${name}`,
  columns: { number: 'Number', status: 'Status', quality: 'Quality', limit: 'Limit' },
  noName: 'No name yet',
  unpaid: 'The platform delivers nothing that has to be paid for: its payment was refused.',
  stopped: {
    account: (reason: string, code: number) => `The platform refuses the account: ${reason} (${code}).`,
    number: (reason: string, code: number) => `The platform refuses the number: ${reason} (${code}).`,
  },
  held: 'Sending is held by whoever operates this installation.',
  heldBecause: (reason: string) => `Held by the operator: ${reason}`,
  states: { held: 'held', stopped: 'stopped', unknown: 'unknown' },
  qualities: { GREEN: 'high', YELLOW: 'medium', RED: 'low' },
  notRated: 'not rated',
  limit: (people: string) => `${people} people a day`,
  noLimit: 'No limit',
  limitUnknown: 'Not known',
};
