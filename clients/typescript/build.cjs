'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

/** Compiles the package twice, for `import` and for `require`; the types are written once, and named by the other. */
const compiler = path.join(path.dirname(require.resolve('typescript-7/package.json')), 'bin', 'tsc');
const dist = path.join(__dirname, 'dist');
fs.rmSync(dist, { recursive: true, force: true });
const compile = (...how) =>
  execFileSync(process.execPath, [compiler, '-p', __dirname, ...how], { stdio: ['ignore', 'inherit', 'inherit'] });
compile('--declaration', 'false');
compile('--module', 'commonjs', '--outDir', path.join(dist, 'cjs'));
fs.writeFileSync(path.join(dist, 'esm', 'package.json'), '{ "type": "module" }\n');
fs.writeFileSync(path.join(dist, 'esm', 'index.d.ts'), "export * from '../cjs/index.js';\n");
