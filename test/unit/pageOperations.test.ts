import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { operations } from '../../api/operations';

const pages = path.join(__dirname, '..', '..', 'api', 'doors', 'dashboard');

/** Operations that pages and views name when they call them or ask whether the member may. */
function named(): string[] {
  const files = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const texts = files.map((file) => readFileSync(path.join(pages, file), 'utf8'));
  const call = /\b(?:(?:call\w*|may)\(|(?:read\w+|callOnce)\(\s*page,\s*\w+,)\s*'([\w.]+)'/g;
  const uses = texts.flatMap((text) => [...text.matchAll(call)]);
  return [...new Set(uses.map((use) => use[1] ?? ''))];
}

it('the pages of the dashboard name operations that exist', () => {
  const known = new Set(operations.map(({ id }) => id));
  const used = named();
  expect(used.length).toBeGreaterThan(40);
  expect(used.filter((id) => !known.has(id))).toEqual([]);
});
