import { userColumnNames, type UserColumns } from './userObject';

/** A member as a JSON column of another row: dates are texts there. */
export type UserJson = Omit<UserColumns, 'created_at' | 'updated_at'> & {
  readonly created_at: string;
  readonly updated_at: string;
};

/** Returns the SQL of a member `alias` as one JSON column, null where the join found none; it holds no secrets. */
export function userJsonSql(alias: string): string {
  const pairs = userColumnNames.map((name) => `'${name}', ${alias}.${name}`).join(', ');
  return `CASE WHEN ${alias}.id IS NULL THEN NULL ELSE jsonb_build_object(${pairs}) END`;
}

/** Returns the columns of a member out of `userJsonSql`. */
export function userFromJson(json: UserJson): UserColumns {
  return { ...json, created_at: new Date(json.created_at), updated_at: new Date(json.updated_at) };
}
