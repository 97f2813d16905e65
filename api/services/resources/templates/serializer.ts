import { wire } from '../../../core/shapes';
import type { TemplateRecord } from './service';

/** A message template (contract 6.6). */
export const templateShape = wire.named('Template', {
  business_account_id: wire.text(),
  msgapp_account_id: wire.text(),
  template_id: wire.text(),
  name: wire.text(),
  language: wire.text(),
  components: wire.any('As the upstream gives them.'),
  business_account: wire.integer(),
  source_library_template: wire.nullable(wire.integer('Always null: the platform does not say it.')),
  status: wire.text('For example APPROVED, PENDING or REJECTED; only APPROVED can be sent.'),
  category: wire.text('For example MARKETING, UTILITY or AUTHENTICATION.'),
  rejected_reason: wire.text('Empty unless the status is REJECTED.'),
});

export interface TemplateItem {
  readonly business_account_id: string;
  readonly msgapp_account_id: string;
  readonly template_id: string;
  readonly name: string;
  readonly language: string;
  readonly components: unknown;
  readonly business_account: number;
  readonly source_library_template: number | null;
  readonly status: string;
  readonly category: string;
  readonly rejected_reason: string;
}

/** The wire form of a template. */
export function templateItem(row: TemplateRecord): TemplateItem {
  return {
    business_account_id: row.account_id,
    msgapp_account_id: row.account_id,
    template_id: row.template_id,
    name: row.name,
    language: row.language,
    components: row.components,
    business_account: row.business_account_id,
    source_library_template: row.source_library_template,
    status: row.status,
    category: row.category,
    rejected_reason: row.status === 'REJECTED' ? row.rejected_reason : '',
  };
}
