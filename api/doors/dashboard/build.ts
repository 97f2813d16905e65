import { cpSync } from 'node:fs';
import path from 'node:path';

/** Copies what the compiler leaves behind, the files for browsers, beside the compiled dashboard. */
if (require.main === module) {
  const source = path.join(__dirname, '..', '..', '..', '..', 'api', 'doors', 'dashboard');
  cpSync(path.join(source, 'assets'), path.join(__dirname, 'assets'), { recursive: true });
}
