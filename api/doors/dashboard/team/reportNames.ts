import type { ReportGroup } from '../../../services/resources/reports/figures';
import { formatDay } from '../formats';
import { loadInboxes, loadMembers, memberNames } from '../lookups';
import type { PageRequest } from '../page';
import { words } from '../words';

const { reports } = words;

/** What is written for a key of a report's group. */
export type NameOf = (key: string | null) => string;

/** Reads what the keys of a group are called. */
export async function namesOf(page: PageRequest, groupBy: ReportGroup): Promise<NameOf> {
  const named = new Map<string, string>();
  if (groupBy === 'member') for (const [id, name] of memberNames(await loadMembers(page))) named.set(String(id), name);
  if (groupBy === 'inbox') for (const { id, name } of await loadInboxes(page)) named.set(String(id), name);
  return (key) => {
    if (key === null) return reports.none;
    const name = named.get(key);
    if (name !== undefined) return name;
    if (groupBy === 'hour') return `${key.padStart(2, '0')}:00`;
    if (groupBy === 'day') return formatDay(key, page.now);
    return groupBy === 'tag' ? key : reports.numbered(reports.groups[groupBy], key);
  };
}
