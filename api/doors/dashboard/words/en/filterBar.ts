/** What lists are narrowed by. */
export const filterBar = {
  open: 'Filter',
  label: 'Filters',
  show: 'Show',
  clear: 'Clear',
  remove: (label: string) => `Remove: ${label}`,
};
