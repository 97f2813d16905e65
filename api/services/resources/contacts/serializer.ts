import type { ContactRow } from '../../../../models';
import { isoTime, wire } from '../../../core/http/shapes';
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

/** Returns a contact as a list item (contract 5.1, 5). */
export function serializeContact(row: ContactView): Record<string, unknown> {
  return {
    id: row.id,
    receiver_id: row.receiver_id,
    phone: phoneOrBsuid(row),
    name: row.name,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    email: row.email,
    company: row.company,
    notes: row.notes,
    tags: row.tags,
    ctwa_clid: row.ctwa_clid,
    ctwa_source_id: row.ctwa_source_id,
    ctwa_source_url: row.ctwa_source_url,
    ctwa_headline: row.ctwa_headline,
    ctwa_referral_at: isoTime(row.ctwa_referral_at),
    bsuid: row.bsuid,
    username: row.username,
    first_message_at: isoTime(row.first_message_at),
    custom_fields: shownValues(row.custom_fields, row.partial_fields, 'contacts'),
    attributes: row.attributes,
    marketing_opt_out: row.marketing_opt_out,
    marketing_opt_out_at: isoTime(row.marketing_opt_out_at),
    marketing_opt_out_source: row.marketing_opt_out_source,
  };
}

/** The click-to-chat referral fields (contract 5.1). */
export const referralShape = {
  ctwa_clid: wire.text(),
  ctwa_source_id: wire.text(),
  ctwa_source_url: wire.text(),
  ctwa_headline: wire.text(),
  ctwa_referral_at: wire.nullable(wire.datetime()),
};

/** Wire shape of `serializeContact`. */
export const contactShape = wire.named('Contact', {
  id: wire.integer('The id that tickets name in `receiver` and `affected_contact_ids`.'),
  receiver_id: wire.text('Names the customer in paths and bodies: usually the phone number in digits.'),
  phone: wire.text('E.164, or the business-scoped user id of a contact who hides the number.'),
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
  custom_fields: wire.map(),
  attributes: wire.map('Free-form profile attributes from bulk imports.'),
  marketing_opt_out: wire.boolean(),
  marketing_opt_out_at: wire.nullable(wire.datetime()),
  marketing_opt_out_source: wire.nullable(wire.oneOf(['keyword', 'platform', 'api', 'member'])),
});
