import { wire, type JsonSchema } from '../../../core/shapes';

/** What a message tells of its phone number (contract 6.3). */
export interface PhoneNumberObject {
  readonly phone_number_id: string;
  readonly quality_rating: string;
  readonly display_phone_number: string;
  readonly verified_name: string;
  readonly business_account: number;
  readonly pin: string;
  readonly messaging_limit_tier: string;
}

/** An item of the phone number list (contract 15). */
export interface PhoneNumberItem extends PhoneNumberObject {
  readonly id: number;
  readonly msgapp_business_account_id: string;
  readonly code_verification_status: string;
  readonly business_username: string;
  readonly business_username_status: string;
}

/** The columns that a message's phone number needs. */
export interface PhoneNumberColumns {
  readonly phone_number_id: string;
  readonly quality_rating: string;
  readonly display_phone_number: string;
  readonly verified_name: string;
  readonly business_account_id: number;
  readonly messaging_limit_tier: string;
}

/** The columns that the list needs. */
export interface PhoneNumberRecord extends PhoneNumberColumns {
  readonly id: number;
  readonly workspace_id: number;
  readonly account_id: string;
  readonly code_verification_status: string;
  readonly business_username: string;
  readonly business_username_status: string;
}

const objectProperties: Record<keyof PhoneNumberObject, JsonSchema> = {
  phone_number_id: wire.text(),
  quality_rating: wire.text(),
  display_phone_number: wire.text(),
  verified_name: wire.text(),
  business_account: wire.integer(),
  pin: wire.text('Always empty.'),
  messaging_limit_tier: wire.text(),
};

export const phoneNumberObjectShape: JsonSchema = wire.named('PhoneNumberBrief', objectProperties);

export const phoneNumberItemShape: JsonSchema = wire.named('PhoneNumber', {
  id: wire.integer(),
  ...objectProperties,
  msgapp_business_account_id: wire.text('What `POST /api/v1/messages/` takes to choose the sender.'),
  code_verification_status: wire.text(),
  business_username: wire.text(),
  business_username_status: wire.text(),
});

/** The phone number inside a message. */
export function phoneNumberObject(row: PhoneNumberColumns): PhoneNumberObject {
  return {
    phone_number_id: row.phone_number_id,
    quality_rating: row.quality_rating,
    display_phone_number: row.display_phone_number,
    verified_name: row.verified_name,
    business_account: row.business_account_id,
    pin: '',
    messaging_limit_tier: row.messaging_limit_tier,
  };
}

/** A phone number of the list. */
export function phoneNumberItem(row: PhoneNumberRecord): PhoneNumberItem {
  return {
    id: row.id,
    ...phoneNumberObject(row),
    msgapp_business_account_id: row.account_id,
    code_verification_status: row.code_verification_status,
    business_username: row.business_username,
    business_username_status: row.business_username_status,
  };
}
