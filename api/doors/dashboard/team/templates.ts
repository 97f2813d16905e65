import type { Page } from '../../../core/http/operations';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import { filterView, optionsOf, pagerView, sentence, statusTag, type TagView } from '../fieldViews';
import { exampleValues, previewTemplate, type TemplatePreview } from '../inbox/templates';
import { objectsOf } from '../lookups';
import { definePages } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/templates/';
const scope = 'template.view';
const section = 'templates';

/** A template as a row of the list. */
interface TemplateRow {
  readonly name: string;
  readonly path: string;
  readonly language: string;
  readonly category: string;
  readonly state: TagView;
  /** Why the platform refused it; empty: it did not. */
  readonly refused: string;
}

/** A template's page. */
interface TemplateView extends TemplateRow {
  readonly id: string;
  readonly account: string;
  /** What a customer reads, with the examples of the platform's review in its placeholders. */
  readonly preview: TemplatePreview;
  readonly cards: readonly TemplatePreview[];
}

const states = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED'];
const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'];

/** The templates of the workspace's accounts; they are made and changed at the platform. */
export const templatePages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const { status, category, cursor } = page.query;
      const list = await page.call<Page<TemplateItem>>('templates.list', { status, category, cursor, page_size: 50 });
      const choices = (values: readonly string[], all: string) =>
        optionsOf([['', all], ...values.map((value) => [value, wordsOf(value)] as const)]);
      const data = {
        templates: list.items.map(rowOf),
        filters: [
          filterView('status', 'Status', choices(states, 'Any status'), status),
          filterView('category', 'Category', choices(categories, 'Any category'), category),
        ],
        isNarrowed: status !== undefined || category !== undefined,
        pager: pagerView(list, path, { status, category }),
        path,
      };
      return settingsPage(page, '/settings/templates', data, { section, title: 'Templates' });
    },
  },
  {
    method: 'GET',
    path: `${path}:template_id/`,
    scope,
    run: async (page) => {
      const template = await page.call<TemplateItem>('templates.get', { template_id: page.params['template_id'] });
      return settingsPage(page, '/settings/template', viewOf(template), { section, title: template.name });
    },
  },
]);

function rowOf({ template_id: id, name, language, category, status, rejected_reason: reason }: TemplateItem) {
  const row: TemplateRow = {
    name,
    path: `${path}${encodeURIComponent(id)}/`,
    language,
    category: wordsOf(category),
    state: statusTag(status, wordsOf(status).toLowerCase()),
    refused: ['', 'NONE'].includes(reason) ? '' : wordsOf(reason),
  };
  return row;
}

function viewOf(template: TemplateItem): TemplateView {
  const { components } = template;
  const carousel = objectsOf(components).find(({ type }) => String(type).toUpperCase() === 'CAROUSEL');
  const shown = (parts: unknown): TemplatePreview => previewTemplate(parts, exampleValues(parts));
  return {
    ...rowOf(template),
    id: template.template_id,
    account: template.msgapp_account_id,
    preview: shown(components),
    cards: objectsOf(carousel?.['cards']).map((card) => shown(card['components'])),
  };
}

/** Returns a word of the platform as people write it: `INVALID_FORMAT` is `Invalid format`. */
function wordsOf(word: string): string {
  return sentence(word.toLowerCase().replaceAll('_', ' '));
}
