import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Migration } from './step';

const load = createRequire(__filename);
const isMigration = (file: string): boolean => /^\d{4}-\d{2}-\d{2}-.+\.[jt]s$/.test(file) && !file.endsWith('.d.ts');

/** All migrations: the dated files of this folder, in the order of their names, in which they run. */
export const migrations: readonly Migration[] = fs
  .readdirSync(__dirname)
  .filter(isMigration)
  .sort()
  .map((file) => load(`./${file}`) as Migration);
