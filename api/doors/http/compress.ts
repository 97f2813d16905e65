import compression from 'compression';
import type { RequestHandler } from 'express';

/**
 * Compresses large answers for programs: those to requests without a cookie. A browser could be made to ask for a page
 * with a secret and with words of an attacker beside it, again and again, and how well both compress would tell the
 * secret (BREACH): what a session reads goes out as it is, but for texts that are the same for everybody. The dashboard
 * compresses its pages and files itself.
 */
export function compressed(): RequestHandler {
  const compress = compression({
    filter: (req, res) => {
      if (res.statusCode === 206 || !compression.filter(req, res)) return false;
      if (/^\/(?:docs\/|api\/v1\/openapi\.json)/.test(req.url)) return true;
      // Events go out one by one; what can be read in parts is one of the bytes that are stored.
      const type = String(res.getHeader('Content-Type') ?? '');
      return (
        req.headers.cookie === undefined && !type.startsWith('text/event-stream') && !res.hasHeader('Accept-Ranges')
      );
    },
  });
  return (req, res, next) => (req.path.startsWith('/dashboard/') ? next() : compress(req, res, next));
}
