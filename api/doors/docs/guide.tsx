import { Router } from 'express';
import { readPage } from '../../core/http/documents';
import type { Runtime } from '../../core/runtime';
import { Raw } from '../dashboard/html';
import { sendPage } from '../dashboard/pages';
import { stateOf } from '../http/request';
import { renderMarkdown } from './markdown';

/** How agents are connected, for people and for developers of clients; named in the resource's metadata (RFC 9728). */
export const agentGuidePath = '/docs/connect-an-agent';

/** Whom to tell of a weakness (RFC 9116). */
const securityPath = '/.well-known/security.txt';

/** For so long readers may keep what it says. */
const securityDays = 30;

/** The guides that are served, by their files. */
const guides: Readonly<Record<string, string>> = {
  [agentGuidePath]: 'connect-an-agent.md',
  '/docs/api': 'api.md',
  '/docs/webhooks': 'webhooks.md',
  '/docs/tour': 'tour.md',
  '/docs/client': '../clients/typescript/README.md',
  '/docs/changelog': '../CHANGELOG.md',
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
  const { securityContacts } = runtime.config;
  if (securityContacts.length > 0)
    router.get(securityPath, (_req, res) => {
      stateOf(res).route = securityPath;
      // What a running process is told is true as of now: a date that somebody has to renew would once be forgotten.
      const expires = new Date(runtime.clock.now().getTime() + securityDays * 86_400_000).toISOString();
      const contacts = securityContacts.map((contact) => `Contact: ${contact}\n`).join('');
      res.type('text/plain').send(`${contacts}Expires: ${expires}\nCanonical: ${baseUrl}${securityPath}\n`);
    });
  for (const [path, file] of Object.entries(guides)) {
    const text = guideOf(file, baseUrl);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
    const html = renderMarkdown(text);
    router.get(path, (req, res) => {
      stateOf(res).route = path;
      res.vary('Accept');
      if (req.accepts(['text/plain', 'text/html']) === 'text/html')
        sendPage(res, 200, { title, body: <Raw html={html} />, styles: 'guide.css' });
      // Browsers save what is called text/markdown.
      else res.type('text/plain').send(text);
    });
  }
  return router;
}

/** Returns a guide with the addresses of this installation, and links to others as they are served. */
export function guideOf(file: string, baseUrl: string): string {
  return (
    readPage(file)
      .replaceAll('{BASE_URL}', baseUrl)
      .replaceAll('http://127.0.0.1:3000', baseUrl)
      .replace(/\]\(([\w-]+)\.md(?:#[\w-]+)?\)/g, `](${baseUrl}/docs/$1)`)
      .replaceAll('](/docs/', `](${baseUrl}/docs/`)
      // What lies in the repository alone, or in the same page.
      .replace(/\[([^[\]]+)\]\((?!https?:)[^()]+\)/g, '$1')
  );
}
