/*
 * docs/settings.md, from the configuration's own schema.
 * UPDATE_SETTINGS=1 npx jest -c jest.config.cjs test/unit/settingsPage writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeSettings } from '../../api/core/settings';
import { root } from '../support/settings';

const file = path.join(root, 'docs', 'settings.md');
const list = /<!-- settings -->[\s\S]*<!-- \/settings -->/;

/** Breaks an item of a list where it is wider than 150 columns. */
function wrapped(item: string): string {
  const lines: string[] = [];
  let line = '';
  // A code span, and the space in it, stays on one line.
  for (const word of item.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    if (line !== '' && line.length + 1 + word.length > 150) {
      lines.push(line);
      line = ' ';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

it('says every setting with its default', () => {
  const settings = describeSettings();
  expect(settings.filter(({ text }) => text === '')).toEqual([]);
  const lines = settings.map(({ name, text, default: value }) => wrapped(`- **\`${name}\`** (${value}): ${text}`));
  const page = ['<!-- settings -->', '', ...lines, '', '<!-- /settings -->'].join('\n');
  if (process.env['UPDATE_SETTINGS'])
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(list, () => page),
    );
  expect(list.exec(readFileSync(file, 'utf8'))?.[0]).toBe(page);
});
