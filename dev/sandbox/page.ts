import type { Reply } from './types';

export function pageAsset(path: string): Reply {
  return { status: path === '' ? 200 : 404, raw: 'sandbox', contentType: 'text/html; charset=utf-8' };
}
