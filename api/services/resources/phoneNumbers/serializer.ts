import type { PhoneNumberRow } from '../../../../models';
import { from, shapeOf, wire } from '../../../core/http/shapes';

/** The columns that a message shows of its phone number. */
export type PhoneNumberColumns = Pick<
  PhoneNumberRow,
  | 'phone_number_id'
  | 'quality_rating'
  | 'display_phone_number'
  | 'verified_name'
  | 'business_account_id'
  | 'messaging_limit_tier'
>;

/** A phone number of the list, with the upstream's id of its account. */
export interface PhoneNumberRecord extends PhoneNumberColumns {
  readonly id: number;
  readonly account_id: string;
  readonly code_verification_status: string;
  readonly business_username: string;
  readonly business_username_status: string;
  readonly stopped_code: number | null;
}

const brief = {
  phone_number_id: wire.text(),
  quality_rating: wire.text(),
  display_phone_number: wire.text(),
  verified_name: wire.text(),
  business_account: from(wire.integer(), (number: PhoneNumberColumns) => number.business_account_id),
  pin: from(wire.text('Always empty.'), () => ''),
  messaging_limit_tier: wire.text(),
};

/** The phone number inside a message (contract 6.3). */
export const { schema: phoneNumberObjectShape, serialize: phoneNumberObject } =
  shapeOf<PhoneNumberColumns>('PhoneNumberBrief').with(brief);

/** A phone number of the list (contract 15). */
export const { schema: phoneNumberItemShape, serialize: phoneNumberItem } = shapeOf<PhoneNumberRecord>(
  'PhoneNumber',
).with({
  id: wire.integer(),
  ...brief,
  msgapp_business_account_id: from(
    wire.text('What `POST /api/v1/messages/` takes to choose the sender.'),
    (number) => number.account_id,
  ),
  code_verification_status: wire.text(),
  business_username: wire.text(),
  business_username_status: wire.text(),
  stopped_code: wire.nullable(
    wire.integer("The platform's code that stops this number or its account; null while it may send."),
  ),
});
