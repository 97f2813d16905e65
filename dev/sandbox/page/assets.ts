import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Reply } from '../types';

/** Where the files lie: beside this one, in the source as in `dist`. */
const folder = __dirname;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

const headers: Record<string, string> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src * data:',
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
};

/** Addresses and files of the pages; scripts and styles are found by their names under `/_page/`. */
const pages: Readonly<Record<string, string>> = { '': 'index.html', _control: 'control.html' };

/** Answers a page or one of its files; everything else is not found. */
export function pageAsset(address: string): Reply {
  const name = pages[address] ?? assetName(address);
  if (name === undefined) return { status: 404, raw: 'Not found', contentType: 'text/plain' };
  return {
    status: 200,
    raw: readFileSync(path.join(folder, name)),
    contentType: contentTypes[path.extname(name)] ?? 'text/plain',
    headers,
  };
}

/** Returns the script or style that an address names, where the folder has it: no other file is ever read. */
function assetName(address: string): string | undefined {
  if (!address.startsWith('_page/')) return undefined;
  const wanted = address.slice('_page/'.length);
  return /\.(css|js)$/.test(wanted) ? browserFiles().find((name) => name === wanted) : undefined;
}

/** Lists what browsers load; in `dist`, the compiler's own files lie in the same folder. */
function browserFiles(): string[] {
  return readdirSync(folder).filter((name) => /\.(css|js)$/.test(name) && !['assets.js', 'build.js'].includes(name));
}
