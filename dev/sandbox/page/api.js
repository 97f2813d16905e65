import { toast } from './dom.js';

const token = new URLSearchParams(location.search).get('control_token');

/** Adds the control token, with which the page was opened, to a path of the sandbox. */
export function withToken(path) {
  if (!token) return path;
  return `${path}${path.includes('?') ? '&' : '?'}control_token=${encodeURIComponent(token)}`;
}

/** Calls the control API; an error is shown and thrown. */
export async function api(method, path, body) {
  const response = await fetch(withToken(`/_control${path}`), {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : undefined,
  });
  const result = await response.json();
  if (!response.ok) {
    toast(result.error ?? `HTTP ${response.status}`);
    throw new Error(result.error);
  }
  return result;
}
