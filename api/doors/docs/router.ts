import path from 'node:path';
import { Router, type Request, type Response } from 'express';
import { stateOf } from '../http/request';

const route = '/docs/';
/** The reference's own scripts and styles, from the installed package: nothing is loaded from elsewhere. */
const folder = path.dirname(require.resolve('swagger-ui-dist/package.json'));
const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Only this origin; the styles of elements are set by the page's own script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Msgdesk API reference</title>
<link rel="icon" type="image/png" href="favicon-32x32.png">
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript. The machine-readable reference is at
  <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</noscript>
<div id="reference"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`;

const start = `const show = (spec) => (window.ui = SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  deepLinking: true,
  // All of them open are more than the page draws: from some 130 operations on it stops after the first few.
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
}));
fetch('/api/v1/openapi.json')
  .then((answer) => answer.json())
  .then((spec) => {
    // A page cannot set the session's cookie, which the browser sends by itself: only the API key is asked for, once.
    spec.components.securitySchemes = { apiKey: spec.components.securitySchemes.apiKey };
    for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path))) {
      if (operation.security?.[0]?.session) operation.summary += ' (dashboard only)';
      operation.security = operation.security?.filter((scheme) => 'apiKey' in scheme);
    }
    show(spec);
  });
`;

/** The API reference with try-it against this server (contract 1); works without the internet. */
export function docsRouter(): Router {
  const router = Router({ strict: true });
  router.get('/docs', (_req, res) => res.redirect(308, route));
  router.get(`${route}{:name}`, (req: Request, res: Response, next) => {
    stateOf(res).route = route;
    const name = String(req.params['name'] ?? '');
    res.setHeader('Content-Security-Policy', policy);
    if (name === '') {
      res.type('html').send(page);
      return;
    }
    if (name === 'start.js') {
      res.type('text/javascript').send(start);
      return;
    }
    const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (type === undefined) {
      next();
      return;
    }
    res.sendFile(path.join(folder, name), { headers: { 'Content-Type': type }, maxAge: '1 hour' });
  });
  return router;
}
