import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { cut } from '../../core/text/cut';
import { safeEqual } from '../../core/secrets';
import { cookieOf } from '../http/request';
import { toastEvent, type PageAnswer, type Toast } from './page';

const zip = promisify(gzip);
const flashCookie = 'flash';
const flashPath = '/dashboard/';
const worthZipping = 1_400;
const maxUndo = 1_000;

/** Pages load our own files only, run no inline script and take no inline style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Writes a page's answer; nothing keeps or frames it. */
export async function sendAnswer(
  req: Request,
  res: Response,
  answer: PageAnswer,
  secret: string,
  secure: boolean,
): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  if (answer.toast) {
    const value = sealFlash(answer.toast, secret);
    res.cookie(flashCookie, value, { httpOnly: true, sameSite: 'lax', path: flashPath, secure, maxAge: 60_000 });
  }
  res
    .status(answer.status)
    .setHeader('Content-Security-Policy', policy)
    .setHeader('Cache-Control', 'no-store')
    .setHeader('Referrer-Policy', 'same-origin')
    .setHeader('X-Frame-Options', 'DENY')
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .setHeader('Vary', 'Accept-Encoding, HX-Request');
  if (answer.html.length < worthZipping || !req.acceptsEncodings('gzip')) {
    res.end(answer.html);
    return;
  }
  const zipped = await zip(answer.html, { level: 4 });
  res.setHeader('Content-Encoding', 'gzip').end(zipped);
}

/** Returns the toast that the page before left, and takes it away; one that we did not write counts as none. */
export function takeFlash(req: Request, res: Response, secret: string): Toast | null {
  const sealed = cookieOf(req, flashCookie);
  if (sealed === null) return null;
  res.clearCookie(flashCookie, { httpOnly: true, sameSite: 'lax', path: flashPath });
  const at = sealed.indexOf('.');
  const [mark, text] = [sealed.slice(0, at), sealed.slice(at + 1)];
  if (at < 0 || !safeEqual(Buffer.from(mark), Buffer.from(sign(text, secret)))) return null;
  return (JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as { toast: Toast }).toast;
}

function sealFlash({ undo, ...toast }: Toast, secret: string): string {
  // Browsers keep 4 kB of a cookie: what is longer cannot be taken back from the next page.
  const kept = undo && JSON.stringify(undo).length < maxUndo ? { undo } : {};
  const text = Buffer.from(toastEvent({ ...toast, ...kept, text: cut(toast.text, 500) })).toString('base64url');
  return `${sign(text, secret)}.${text}`;
}

function sign(text: string, secret: string): string {
  return createHmac('sha256', `flash ${secret}`).update(text).digest('base64url');
}
