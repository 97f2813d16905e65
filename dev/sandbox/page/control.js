import { api, withToken } from './api.js';
import { $, h } from './dom.js';

/** Writes an example as one would type it in a shell. */
function curl({ method, example }) {
  const url = `'${location.origin}${example.path}'`;
  const verb = method === 'GET' || (method === 'POST' && example.body) ? '' : ` -X ${method}`;
  if (!example.body) return `curl -s${verb} ${url}`;
  const body = JSON.stringify(example.body, null, 2).replace(/'/g, "'\\''");
  return `curl -s${verb} ${url} \\\n  -H 'Content-Type: application/json' -d '${body}'`;
}

document.querySelector('.bar .api').href = withToken('/');
const { routes } = await api('GET', '/');
$('routes').append(
  ...routes.map((route) =>
    h(
      'section',
      {},
      h('h2', {}, h('code', {}, `${route.method} ${route.path}`)),
      h('p', {}, route.about),
      h('pre', { tabindex: '0' }, curl(route)),
    ),
  ),
);
