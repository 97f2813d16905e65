import { isoTime, wire, type JsonSchema, type Wire } from '../../../core/http/shapes';

/** The columns of a member that the user object shows. */
export interface UserColumns {
  readonly id: number;
  readonly uid: string;
  readonly email: string;
  readonly name: string;
  readonly locale: string | null;
  readonly phone_number: string;
  readonly profile_picture: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Names of those columns, for statements that load people with something else. */
export const userColumnNames = [
  'id',
  'uid',
  'email',
  'name',
  'locale',
  'phone_number',
  'profile_picture',
  'created_at',
  'updated_at',
] as const;

/** `send_by` of a message (contract 6.3, 12.2). */
interface UserBrief {
  readonly id: number;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly uid: string;
  readonly profile_picture: string;
  readonly locale: string;
  readonly phone_number: string;
  readonly name: string;
  readonly country: string;
  readonly currency: string;
  readonly referral_code: string;
  readonly wallet_balance: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
  readonly is_verified: boolean;
  readonly referred_by: number | null;
}

/** Author, watcher and actor (contract 12.2). */
interface UserObject extends UserBrief {
  readonly source: string;
  readonly last_login_source: string;
  readonly email_notify_alerts: boolean;
  readonly email_notify_updates: boolean;
}

const briefProperties: Record<keyof UserBrief, JsonSchema> = {
  id: wire.integer(),
  username: wire.text(),
  first_name: wire.text(),
  last_name: wire.text(),
  email: wire.text(),
  uid: wire.text(),
  profile_picture: wire.text(),
  locale: wire.text(),
  phone_number: wire.text(),
  name: wire.text(),
  country: wire.text(),
  currency: wire.text(),
  referral_code: wire.text(),
  wallet_balance: wire.text(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  deleted_at: wire.nullable(wire.datetime()),
  is_verified: wire.boolean(),
  referred_by: wire.nullable(wire.integer()),
};

export const userBriefShape: Wire<UserBrief> = wire.named('UserBrief', briefProperties) as JsonSchema;

export const userObjectShape: Wire<UserObject> = wire.named('User', {
  ...briefProperties,
  source: wire.text(),
  last_login_source: wire.text(),
  email_notify_alerts: wire.boolean(),
  email_notify_updates: wire.boolean(),
}) as JsonSchema;

/** Returns the user object as a message's `send_by` carries it. */
export function userObjectBrief(row: UserColumns): UserBrief {
  const words = row.name.trim().split(/\s+/);
  return {
    id: row.id,
    username: row.email.split('@')[0] ?? '',
    first_name: words[0] ?? '',
    last_name: words.slice(1).join(' '),
    email: row.email,
    uid: row.uid,
    profile_picture: row.profile_picture,
    locale: row.locale ?? 'en',
    phone_number: row.phone_number,
    name: row.name,
    country: '',
    currency: '',
    referral_code: '',
    wallet_balance: '0.00',
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    deleted_at: null,
    is_verified: false,
    referred_by: null,
  };
}

/** Returns the full user object. */
export function userObject(row: UserColumns): UserObject {
  return {
    ...userObjectBrief(row),
    source: 'unknown',
    last_login_source: 'unknown',
    email_notify_alerts: false,
    email_notify_updates: false,
  };
}
