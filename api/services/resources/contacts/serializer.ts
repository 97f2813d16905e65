import type { ContactRow } from '../../../../models';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { partialFieldsColumn, shownValues, type PartialFields } from '../customFields/values';

/** The columns of a contact that leave the service, qualified with `c`. */
export const contactColumns = `c.receiver_id, c.phone, c.bsuid, c.name, c.email, c.company, c.notes, c.tags,
  c.username, c.profile_picture, c.custom_fields, c.attributes, c.ctwa_clid, c.ctwa_source_id, c.ctwa_source_url,
  c.ctwa_headline, c.ctwa_referral_at, c.first_message_at, c.marketing_opt_out, c.marketing_opt_out_at,
  c.marketing_opt_out_source, ${partialFieldsColumn('c.workspace_id')}`;

export type ContactView = Pick<
  ContactRow,
  | 'id'
  | 'receiver_id'
  | 'phone'
  | 'bsuid'
  | 'name'
  | 'email'
  | 'company'
  | 'notes'
  | 'tags'
  | 'username'
  | 'profile_picture'
  | 'custom_fields'
  | 'attributes'
  | 'ctwa_clid'
  | 'ctwa_source_id'
  | 'ctwa_source_url'
  | 'ctwa_headline'
  | 'ctwa_referral_at'
  | 'first_message_at'
  | 'marketing_opt_out'
  | 'marketing_opt_out_at'
  | 'marketing_opt_out_source'
  | 'created_at'
  | 'updated_at'
> & { readonly partial_fields: PartialFields };

/** Returns the phone in E.164, or the business-scoped user id of a contact who hides it (contract 5.1). */
export function phoneOrBsuid(contact: Pick<ContactRow, 'phone' | 'bsuid'>): string {
  return contact.phone === null ? (contact.bsuid ?? '') : `+${contact.phone}`;
}

/** The click-to-chat referral fields (contract 5.1). */
export const referralShape = {
  ctwa_clid: wire.text(),
  ctwa_source_id: wire.text(),
  ctwa_source_url: wire.text(),
  ctwa_headline: wire.text(),
  ctwa_referral_at: wire.nullable(wire.datetime()),
};

/** A contact as a list item (contract 5.1, 5). */
export const { schema: contactShape, serialize: serializeContact } = shapeOf<ContactView>('Contact').with({
  id: wire.integer('The id that tickets name in `receiver` and `affected_contact_ids`.'),
  receiver_id: wire.text('Names the customer in paths and bodies: usually the phone number in digits.'),
  phone: from(wire.text('E.164, or the business-scoped user id of a contact who hides the number.'), phoneOrBsuid),
  name: wire.text(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  email: wire.text(),
  company: wire.text(),
  notes: wire.text(),
  tags: wire.any('Any JSON value; filters and macros work on an array of strings.'),
  ...referralShape,
  bsuid: wire.nullable(wire.text()),
  username: wire.nullable(wire.text()),
  first_message_at: wire.nullable(wire.datetime()),
  custom_fields: from(wire.map(), (row) => shownValues(row.custom_fields, row.partial_fields, 'contacts')),
  attributes: wire.map('Free-form profile attributes from bulk imports.'),
  marketing_opt_out: wire.boolean(),
  marketing_opt_out_at: wire.nullable(wire.datetime()),
  marketing_opt_out_source: wire.nullable(wire.oneOf(['keyword', 'platform', 'api', 'member'])),
});
