import type { Page } from 'playwright-core';
import type { TestMember } from '../factories/members';
import type { Showcase } from '../factories/showcase';

/** Where a control is used: the workspace, the page, and a text that nothing else there has. */
export interface Place {
  readonly show: Showcase;
  readonly page: Page;
  readonly member: TestMember;
  readonly mark: string;
  /** What `prepare` made for this control. */
  made: number | string;
  /** From here on the server is as far away as this use wants it. */
  setLatency(): void;
}

type Bind = Readonly<Record<string, unknown>>;
/** Reads what is stored. */
export type Row = (place: Place) => Promise<unknown>;

/** Reads one value of one row of the workspace: `$w` is the workspace, `$mark` the text. */
export async function valueOf({ show, mark }: Place, sql: string, more: Bind = {}): Promise<unknown> {
  const known: Bind = { w: show.workspace.id, mark, ...more };
  const bind = Object.fromEntries(Object.entries(known).filter(([name]) => sql.includes(`$${name}`)));
  return (await show.workspace.server.runtime.db.row<{ it: unknown }>(sql, bind))?.it;
}

/** Reads an expression of the row with an id. */
export const told =
  (table: string, expression: string, id: (place: Place) => number | string, key = 'id'): Row =>
  (place) =>
    valueOf(place, `SELECT ${expression} AS it FROM ${table} WHERE workspace_id = $w AND ${key} = $id`, {
      id: id(place),
    });
/** Counts rows of the workspace. */
export const count =
  (table: string, where = 'true', id?: (place: Place) => number | string): Row =>
  (place) =>
    valueOf(
      place,
      `SELECT count(*)::int AS it FROM ${table} WHERE workspace_id = $w AND (${where})`,
      id ? { id: id(place) } : {},
    );

/** Counts what a page shows. */
export const shown =
  (selector: string): Row =>
  ({ page }) =>
    page.locator(selector).count();

/** What a control that writes leaves in the database, and how it is used. */
export interface Write {
  /** Where it is used; without it where it was found. */
  readonly at?: (place: Place) => string | Promise<string>;
  readonly prepare?: (place: Place) => Promise<unknown>;
  /** What is typed into its form, by field; for a field that saves itself under its own name. */
  readonly fill?: Readonly<Record<string, string>> | ((place: Place) => Readonly<Record<string, string>>);
  /** What is stored, looked at before and after. */
  readonly row: (place: Place) => Promise<unknown>;
  /** What the row has to say afterwards; without it: something else than before. */
  readonly is?: unknown;
}
