/** Lengths of time, as they stand behind a number. */
export const spans = {
  day: 'd',
  hour: 'h',
  minute: 'min',
};
