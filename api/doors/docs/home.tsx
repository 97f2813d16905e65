import { Router } from 'express';
import type { Runtime } from '../../core/runtime';
import type { Html } from '../dashboard/html';
import { sendPage } from '../dashboard/pages';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { stateOf } from '../http/request';

const places = [
  { name: 'Dashboard', path: '/dashboard/', text: 'Inbox, tickets, broadcasts, approvals and settings for your team.' },
  { name: 'API reference', path: '/docs/', text: 'Every operation of the REST API, with a form to try it.' },
  {
    name: 'OpenAPI document',
    path: '/api/v1/openapi.json',
    text: 'The same for programs and client generators.',
  },
  {
    name: 'The API in short',
    path: '/docs/api',
    text: 'The first request, and the rules of all. Keys are made in the dashboard, Settings → API keys.',
  },
  { name: 'Receive webhooks', path: '/docs/webhooks', text: 'How your software is told what happens.' },
  {
    name: 'Connect an agent',
    path: '/docs/connect-an-agent',
    text: 'How Claude, Cursor and other MCP clients get access.',
  },
  { name: 'llms.txt', path: '/llms.txt', text: 'What there is to read, for programs.' },
];

/** The page at the origin: where everything is. */
export function homeRouter(runtime: Runtime, limiters: Limiters): Router {
  const router = Router({ strict: true });
  router.get('/', (req, res, next) => {
    stateOf(res).route = '/';
    passLimiter(limiters.anonymous, req, res).then(
      () =>
        sendPage(res, 200, {
          title: 'Start',
          body: <Places mcp={`${runtime.config.baseUrl}/mcp`} />,
          styles: 'guide.css',
        }),
      next,
    );
  });
  return router;
}

function Places({ mcp }: { readonly mcp: string }): Html {
  return (
    <>
      <h1>Msgdesk</h1>
      <p class="soft">A helpdesk for business messaging, with a REST API and MCP.</p>
      <dl class="places">
        {places.map(({ path, name, text }) => (
          <>
            <dt>
              <a href={path}>{name}</a>
            </dt>
            <dd>{text}</dd>
          </>
        ))}
        <dt>Agent endpoint (MCP)</dt>
        <dd>
          <code>{mcp}</code>
        </dd>
      </dl>
    </>
  );
}
