import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Unpacks the browser into the run's own folder, once and before any test: a file that another process is still writing
 * cannot be started. `TEST_CHROMIUM` names another one to use.
 */
export async function unpackChromium(): Promise<void> {
  if (process.env['TEST_CHROMIUM']) return;
  const { default: chromium } = await import('@sparticuz/chromium');
  const usual = process.env['TMPDIR'];
  const folder = path.join(process.env['TEST_TMP'] ?? os.tmpdir(), 'browser');
  fs.mkdirSync(folder, { recursive: true });
  // The package knows no other way to say where.
  process.env['TMPDIR'] = folder;
  try {
    process.env['TEST_CHROMIUM'] = await chromium.executablePath();
  } finally {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  }
}
