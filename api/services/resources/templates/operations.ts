import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { templateListQuery } from './schema';
import { templateItem, templateShape } from './serializer';
import { getTemplate, listTemplates } from './service';

/** Message templates over the API (contract 6.6, 3.1). */
export const templateOperations = [
  operation({
    id: 'templates.list',
    method: 'GET',
    path: '/api/v1/templates/',
    tag: 'Templates',
    summary: 'List message templates',
    description: 'Sorted by name, in pages without `count`.',
    scope: 'template.view',
    query: templateListQuery,
    status: 200,
    output: wire.cursorPage(templateShape),
    tools: [
      {
        name: 'get_templates',
        title: 'Get message templates',
        description:
          'Lists the message templates of the workspace with their status, language and components. Only templates ' +
          'with status APPROVED can be sent.',
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      },
    ],
    run: async (ctx, query) => {
      const page = await listTemplates(ctx, query);
      return { ...page, items: page.items.map(templateItem) };
    },
  }),
  operation({
    id: 'templates.get',
    method: 'GET',
    path: '/api/v1/templates/{template_id}/',
    tag: 'Templates',
    summary: 'Read a message template',
    description: 'By the id that the platform gives it.',
    scope: 'template.view',
    audience: 'session',
    status: 200,
    output: templateShape,
    run: async (ctx, { template_id: templateId }) => templateItem(await getTemplate(ctx, templateId)),
  }),
];
