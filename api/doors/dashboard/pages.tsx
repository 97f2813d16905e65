import express, { type Request, type Response, type Router } from 'express';
import { languageNow } from '../../core/text/language';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { stateOf } from '../http/request';
import { assetPath, spokenNow, type AssetName } from './assets';
import { render, type Html } from './html';

/** A page that stands alone: what a card shows. */
interface Page {
  readonly title: string;
  readonly body: Html;
  readonly wide?: boolean;
  /** A file of styles beside those of every page; it makes the page as wide as it needs. */
  readonly styles?: AssetName;
  /** Scripts that it cannot do a part of its work without. */
  readonly scripts?: readonly AssetName[];
  /** Where its form may lead, in full; none: anywhere, for a form whose answer leads to another site. */
  readonly formAction?: "'self'";
}

/** Answers requests of strangers, by path, within the limit of their address. */
export function signedOutRouter(
  limiters: Limiters,
  answers: Readonly<Record<string, (req: Request, res: Response) => Promise<void>>>,
): Router {
  const router = express.Router();
  for (const [path, answer] of Object.entries(answers))
    router.all(path, (req, res, next) => {
      stateOf(res).route = path;
      passLimiter(limiters.anonymous, req, res)
        .then(() => answer(req, res))
        .catch(next);
    });
  return router;
}

/** Sends a page that nothing keeps or frames, and no script but its own reaches. */
export function sendPage(res: Response, status: number, page: Page): void {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(page.scripts ? ["script-src 'self'"] : []),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(page.formAction ? [`form-action ${page.formAction}`] : []),
  ];
  pageHeaders(res).setHeader('Content-Security-Policy', policy.join('; '));
  res
    .status(status)
    .type('html')
    .send(`<!doctype html>\n${render(documentOf(page))}`);
}

function documentOf({ title, body, styles, wide, scripts = [] }: Page): Html {
  const width = styles ? ' card-guide' : wide ? ' card-wide' : '';
  return (
    <html lang={languageNow()}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title} · Msgdesk</title>
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={assetPath('favicon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath('app.css')} />
        {styles && <link rel="stylesheet" href={assetPath(styles)} />}
        {(scripts.length === 0 ? [] : [spokenNow(), ...scripts]).map((script) => (
          <script src={assetPath(script)} defer></script>
        ))}
      </head>
      <body>
        <div class="center">
          <p class="brand">
            <span class="brand-mark" aria-hidden="true"></span>Msgdesk
          </p>
          <main class={`card${width}`}>{body}</main>
        </div>
      </body>
    </html>
  );
}

/**
 * Redirects the browser by GET, whatever its method was: never 307, which would repeat a form (RFC 9700 section 4.12).
 */
export function sendOn(res: Response, location: string): void {
  // Not Express's redirect, which would encode the address again: a registered URI must not change.
  pageHeaders(res).status(303).setHeader('Location', location).end();
}

/** Headers of every step between an application and its code. */
function pageHeaders(res: Response): Response {
  res
    .setHeader('Cache-Control', 'no-store')
    .setHeader('Pragma', 'no-cache')
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('X-Frame-Options', 'DENY');
  // An application that opened us in a window waits for that window to come back: cut off, it would wait for ever.
  return res.setHeader('Cross-Origin-Opener-Policy', 'unsafe-none');
}
