import type { Worded } from '../../../../core/text/catalogue';
import type { spans as en } from '../en/spans';

export const spans: Worded<typeof en> = {
  day: 'd',
  hour: 'h',
  minute: 'min',
};
