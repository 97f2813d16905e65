import type { ReportGroup } from '../../../services/resources/reports/figures';
import { formatDay } from '../formats';
import { loadNames } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';

const { reports } = words;

/** What is written for a key of a report's group. */
export type NameOf = (key: string | null) => string;

/** Reads what the keys of a group are called. */
export async function namesOf(page: PageRequest, groupBy: ReportGroup): Promise<NameOf> {
  const { members, inboxes } = await loadNames(page);
  const names = groupBy === 'member' ? members : groupBy === 'inbox' ? inboxes : null;
  return (key) => {
    if (key === null) return reports.none;
    const name = names?.get(Number(key));
    if (name !== undefined) return name;
    if (groupBy === 'hour') return `${key.padStart(2, '0')}:00`;
    if (groupBy === 'day') return formatDay(key, page.now);
    return groupBy === 'tag' ? key : reports.numbered(reports.groups[groupBy], key);
  };
}
