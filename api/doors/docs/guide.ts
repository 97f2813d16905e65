import { Router } from 'express';
import { readPage } from '../../core/http/documents';
import type { Runtime } from '../../core/runtime';
import { sendPage } from '../dashboard/pages';
import { stateOf } from '../http/request';
import { renderMarkdown } from './markdown';

/** How agents are connected, for people and for developers of clients; named in the resource's metadata (RFC 9728). */
export const agentGuidePath = '/docs/connect-an-agent';

/** The guides that are served, by their files. */
const guides: Readonly<Record<string, string>> = {
  [agentGuidePath]: 'connect-an-agent.md',
  '/docs/api': 'api.md',
  '/docs/webhooks': 'webhooks.md',
};

/** Serves the guides with the addresses of this installation: as pages to browsers, as Markdown to programs. */
export function guideRouter(runtime: Runtime): Router {
  const router = Router({ strict: true });
  const { baseUrl } = runtime.config;
  // A list of the documents, for programs that know only our address (llmstxt.org).
  const index = readPage('llms.txt').replaceAll('{BASE_URL}', baseUrl);
  router.get('/llms.txt', (_req, res) => {
    stateOf(res).route = '/llms.txt';
    res.type('text/plain').send(index);
  });
  for (const [path, file] of Object.entries(guides)) {
    const text = guideOf(file, baseUrl);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
    const html = renderMarkdown(text);
    router.get(path, (req, res) => {
      stateOf(res).route = path;
      res.vary('Accept');
      if (req.accepts(['text/plain', 'text/html']) === 'text/html')
        sendPage(res, 200, { title, template: '<%~ it.html %>', data: { html }, styles: 'guide.css' });
      // Browsers save what is called text/markdown.
      else res.type('text/plain').send(text);
    });
  }
  return router;
}

/** Returns a guide with the addresses of this installation, and links to others as they are served. */
export function guideOf(file: string, baseUrl: string): string {
  return readPage(file)
    .replaceAll('{BASE_URL}', baseUrl)
    .replaceAll('http://127.0.0.1:3000', baseUrl)
    .replace(/\]\(([\w-]+)\.md(?:#[\w-]+)?\)/g, `](${baseUrl}/docs/$1)`)
    .replace(/\[([^[\]]+)\]\(#[\w-]+\)/g, '$1');
}
