import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import express, { type Router } from 'express';
import { languageNow, languages, localesNow, speaking, type Language } from '../../core/text/language';
import { stateOf } from '../http/request';
import { words } from './words';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  readonly zipped: Buffer;
}

const route = '/dashboard/assets/';
/** Lines that hold nothing but a comment. */
const comments = /^ *(?:\/\/.*|\/\*(?:(?!\*\/)[^])*\*\/)\n/gm;
/** Reads a file of ours; scripts and style sheets without their comments, which are a fourth of what would be sent. */
const own =
  (name: string): (() => Buffer) =>
  () => {
    const file = readFileSync(path.join(__dirname, 'assets', name));
    return /\.(js|css)$/.test(name) ? Buffer.from(file.toString().replace(comments, '')) : file;
  };
const packaged =
  (name: string): (() => Buffer) =>
  () =>
    readFileSync(require.resolve(name));

/** What an installed page is called, and shows on the screen of a phone; its icons stand above it in the list. */
const manifest = (): Buffer =>
  Buffer.from(
    JSON.stringify({
      id: '/dashboard/',
      name: 'Msgdesk',
      start_url: '/dashboard/',
      scope: '/dashboard/',
      display: 'standalone',
      background_color: '#f5f6f8',
      theme_color: '#1f5fd0',
      icons: (['icon192.png', 'icon512.png'] as const).flatMap((name) =>
        ['any', 'maskable'].map((purpose) => {
          const size = name.replace(/\D/g, '');
          return { src: assetPath(name), sizes: `${size}x${size}`, type: 'image/png', purpose };
        }),
      ),
    }),
  );

/** What the scripts say in a language, as a script that stands before them: `said` (globals.d.ts). */
const saidIn = (language: Language): Buffer =>
  speaking(language, () => {
    const said = { language, ...localesNow(), texts: words.scripts };
    return Buffer.from(`globalThis.said = ${JSON.stringify(said)};\n`);
  });

type Spoken = `words-${Language}.js`;
const spoken = Object.fromEntries(
  languages.map((language) => [`words-${language}.js`, () => saidIn(language)]),
) as Readonly<Record<Spoken, () => Buffer>>;

/** Returns the file of what scripts say in the language of the page. */
export const spokenNow = (): Spoken => `words-${languageNow()}.js`;

/** Everything that pages load, by the name that templates use. */
const sources = {
  ...spoken,
  'app.css': own('app.css'),
  'inbox.css': own('inbox.css'),
  'team.css': own('team.css'),
  'app.js': own('app.js'),
  'typed.js': own('typed.js'),
  'forms.js': own('forms.js'),
  'live.js': own('live.js'),
  'refresh.js': own('refresh.js'),
  'notices.js': own('notices.js'),
  'noticesWorker.js': own('noticesWorker.js'),
  'longPress.js': own('longPress.js'),
  'inbox.js': own('inbox.js'),
  'swipe.js': own('swipe.js'),
  'thread.js': own('thread.js'),
  'attach.js': own('attach.js'),
  'composer.js': own('composer.js'),
  'outbox.js': own('outbox.js'),
  'bulk.js': own('bulk.js'),
  'complete.js': own('complete.js'),
  'presence.js': own('presence.js'),
  'desk.css': own('desk.css'),
  'guide.css': own('guide.css'),
  'import.js': own('import.js'),
  'board.js': own('board.js'),
  'choices.js': own('choices.js'),
  'passkey.js': own('passkey.js'),
  'htmx.js': packaged('htmx.org/dist/htmx.min.js'),
  'morph.js': packaged('idiomorph/dist/idiomorph-ext.min.js'),
  'search.js': own('search.js'),
  'favicon.svg': own('favicon.svg'),
  'icon192.png': own('icon192.png'),
  'icon512.png': own('icon512.png'),
  'app.webmanifest': manifest,
} as const;

export type AssetName = keyof typeof sources;

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
};

let loaded: Map<string, Asset> | undefined;

/** Returns the files, read once. The address of a file changes with its content, so browsers may cache it for long. */
function assets(): ReadonlyMap<string, Asset> {
  if (loaded) return loaded;
  loaded = new Map();
  for (const [name, read] of Object.entries(sources)) {
    const body = read();
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
    const [stem, extension = ''] = name.split('.');
    const path = `${route}${stem}.${digest}.${extension}`;
    loaded.set(name, { path, type: types[extension] ?? '', body, zipped: gzipSync(body) });
  }
  return loaded;
}

/** Returns the address of a file. */
export function assetPath(name: AssetName): string {
  return assets().get(name)?.path ?? '';
}

/** Serves the files, compressed if the browser accepts it. */
export function assetsRouter(): Router {
  const router = express.Router();
  for (const [name, asset] of assets()) {
    router.get(asset.path, (req, res) => {
      stateOf(res).route = `${route}${name}`;
      res
        .setHeader('Cache-Control', 'public, max-age=31536000, immutable')
        .setHeader('Content-Type', asset.type)
        .setHeader('Vary', 'Accept-Encoding');
      // A service worker is for the folder that it lies in, unless this says more.
      if (name === 'noticesWorker.js') res.setHeader('Service-Worker-Allowed', '/dashboard/');
      if (req.acceptsEncodings('gzip')) res.setHeader('Content-Encoding', 'gzip').end(asset.zipped);
      else res.end(asset.body);
    });
  }
  return router;
}
