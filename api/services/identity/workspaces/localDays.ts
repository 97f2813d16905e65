import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import { dayOf } from '../../../core/zones';
import { getWorkspace } from './service';
import { reason } from '../reasons';

const dayMs = 86_400_000;
/** A year, as one is compared with the one before. */
const maxDays = 366;

/** Days as YYYY-MM-DD, both included. */
export interface DaySpan {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Returns the days that are meant, with the workspace's time zone: until today unless told, from what `usualFrom` makes
 * of the last one. Throws 400 where they are in the wrong order or more than a year.
 */
export async function readDays(
  ctx: Ctx,
  span: DaySpan,
  usualFrom: (to: string) => string,
): Promise<{ readonly from: string; readonly to: string; readonly zone: string }> {
  const { timezone: zone } = await getWorkspace(ctx);
  const { to = dayOf(ctx.runtime.clock.now(), zone) } = span;
  const { from = usualFrom(to) } = span;
  if (from > to) throw invalidField('from', reason('order'));
  if (Date.parse(to) - Date.parse(from) >= maxDays * dayMs)
    throw invalidField('from', reason('spanTooLong', { max: maxDays }));
  return { from, to, zone };
}

/** Returns the day so many days before another one. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, 10);
}
