import { Router } from 'express';
import { readPage } from '../../core/http/documents';
import type { Runtime } from '../../core/runtime';
import { sendPage } from '../dashboard/pages';
import { stateOf } from '../http/request';
import { renderMarkdown } from './markdown';

/** How agents are connected, for people and for developers of clients; named in the resource's metadata (RFC 9728). */
export const agentGuidePath = '/docs/connect-an-agent';

/** Serves the guide with the addresses of this installation: as a page to browsers, as Markdown to programs. */
export function guideRouter(runtime: Runtime): Router {
  const router = Router({ strict: true });
  const { baseUrl } = runtime.config;
  const text = readPage('connect-an-agent.md')
    .replaceAll('{BASE_URL}', baseUrl)
    .replaceAll('http://127.0.0.1:3000', baseUrl);
  const html = renderMarkdown(text);
  // A list of the documents, for programs that know only our address (llmstxt.org).
  const index = readPage('llms.txt').replaceAll('{BASE_URL}', baseUrl);
  router.get('/llms.txt', (_req, res) => {
    stateOf(res).route = '/llms.txt';
    res.type('text/plain').send(index);
  });
  router.get(agentGuidePath, (req, res) => {
    stateOf(res).route = agentGuidePath;
    res.vary('Accept');
    if (req.accepts(['text/plain', 'text/html']) === 'text/html')
      sendPage(res, 200, {
        title: 'Connect an agent',
        template: '<%~ it.html %>',
        data: { html },
        styles: 'guide.css',
      });
    // Browsers save what is called text/markdown.
    else res.type('text/plain').send(text);
  });
  return router;
}
