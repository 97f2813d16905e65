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

it('says every setting with its default', () => {
  const settings = describeSettings();
  expect(settings.filter(({ text }) => text === '')).toEqual([]);
  const lines = settings.map(({ name, text, default: value }) => `- **\`${name}\`** (${value}): ${text}`);
  const page = ['<!-- settings -->', '', ...lines, '', '<!-- /settings -->'].join('\n');
  if (process.env['UPDATE_SETTINGS'])
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(list, () => page),
    );
  expect(list.exec(readFileSync(file, 'utf8'))?.[0]).toBe(page);
});
