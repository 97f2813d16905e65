import { cpSync } from 'node:fs';
import path from 'node:path';

/** Copies what the compiler leaves behind, the files for browsers, beside the compiled sandbox. */
if (require.main === module) {
  const source = path.join(__dirname, '..', '..', '..', '..', 'dev', 'sandbox', 'page');
  cpSync(source, __dirname, { recursive: true, filter: (file) => !file.endsWith('.ts') });
}
