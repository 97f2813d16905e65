import type { Ctx } from '../../../core/context';

/** Something that the platform announced of a number of an account, which it names by its digits. */
interface Announced {
  readonly businessAccountPk: number;
  readonly digits: string;
  readonly at: Date;
}

const thisNumber = `workspace_id = $workspaceId AND business_account_id = $businessAccountPk
  AND regexp_replace(display_phone_number, '\\D', '', 'g') = $digits`;

/** Records the user name that the business has with a number; the newest word counts. */
export async function setUsername(
  ctx: Ctx,
  announced: Announced & { readonly username: string; readonly status: string },
): Promise<void> {
  // A guarded update: the row itself decides which word is the newest.
  await ctx.runtime.db.rows(
    `UPDATE phone_numbers
     SET business_username = $username, business_username_status = $status, username_at = $at, updated_at = now()
     WHERE ${thisNumber}
       AND (username_at IS NULL OR username_at < $at
         OR (username_at = $at
           AND (business_username_status, business_username) < ($status::text, $username::text)))`,
    { workspaceId: ctx.workspaceId, ...announced },
  );
}

/** Records the messaging limit of a number; the newest word counts. */
export async function setMessagingLimit(ctx: Ctx, announced: Announced & { readonly limit: string }): Promise<void> {
  // A guarded update, as above.
  await ctx.runtime.db.rows(
    `UPDATE phone_numbers
     SET messaging_limit_tier = $limit, limit_at = $at, updated_at = now()
     WHERE ${thisNumber}
       AND (limit_at IS NULL OR limit_at < $at OR (limit_at = $at AND messaging_limit_tier < $limit::text))`,
    { workspaceId: ctx.workspaceId, ...announced },
  );
}
