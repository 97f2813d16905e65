import { cpSync } from 'node:fs';
import path from 'node:path';

/** Copies what the compiler leaves behind, templates and files for browsers, beside the compiled dashboard. */
if (require.main === module) {
  const source = path.join(__dirname, '..', '..', '..', '..', 'api', 'doors', 'dashboard');
  for (const folder of ['views', 'assets'])
    cpSync(path.join(source, folder), path.join(__dirname, folder), { recursive: true });
}
