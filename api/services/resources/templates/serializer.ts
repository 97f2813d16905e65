import { from, shapeOf, wire, type JsonSchema } from '../../../core/http/shapes';
import type { TemplateRecord } from './service';

const templateParts: JsonSchema = {
  ...wire.list(
    wire.open(
      'TemplatePart',
      {
        type: wire.text('HEADER, BODY, FOOTER, BUTTONS …'),
        format: wire.text('Of a header: TEXT, IMAGE …'),
        text: wire.text('With its placeholders, as `{{1}}`.'),
        buttons: wire.list(wire.map()),
        example: wire.map('Values that the platform was shown for its review.'),
      },
      ['type'],
    ),
  ),
  description: 'The parts of the template, in the form of the platform.',
};

/** A message template (contract 6.6). */
export const { schema: templateShape, serialize: templateItem } = shapeOf<TemplateRecord>('Template').with({
  business_account_id: from(wire.text(), (template) => template.account_id),
  msgapp_account_id: from(wire.text(), (template) => template.account_id),
  template_id: wire.text(),
  name: wire.text(),
  language: wire.text(),
  components: templateParts,
  business_account: from(wire.integer(), (template) => template.business_account_id),
  source_library_template: wire.nullable(wire.integer('Always null: the platform does not report it.')),
  status: wire.text('For example APPROVED, PENDING or REJECTED; only APPROVED can be sent.'),
  category: wire.text('For example MARKETING, UTILITY or AUTHENTICATION.'),
  rejected_reason: from(wire.text('Empty unless the status is REJECTED.'), (template) =>
    template.status === 'REJECTED' ? template.rejected_reason : '',
  ),
});

/** The wire form of a template. */
export type TemplateItem = ReturnType<typeof templateItem>;
