import type { Request, Response } from 'express';
import { cut } from '../../core/text/cut';
import { OAuthRefusal } from '../../services/identity/oauth/refusal';
import { readRaw } from '../http/bodies';

const bodyLimit = 64 * 1024;

/** The parameters of an OAuth request, from its query or from its body, never from both. */
export class Parameters {
  private readonly values = new Map<string, string>();
  /** Names that occur more than once, which RFC 6749 section 3.1 forbids. */
  readonly repeated = new Set<string>();

  constructor(text: string) {
    for (const [name, value] of new URLSearchParams(text)) {
      if (this.values.has(name)) this.repeated.add(name);
      this.values.set(name, value);
    }
  }

  /**
   * Returns the value, or null; a parameter without a value counts as left out (RFC 6749 section 3.1), and so does a
   * repeated one.
   */
  get(name: string): string | null {
    const value = this.values.get(name);
    return value === undefined || value === '' || this.repeated.has(name) ? null : value;
  }

  /** Returns whether there is a parameter of this name, even an empty or repeated one. */
  has(name: string): boolean {
    return this.values.has(name);
  }

  /** Throws `invalid_request` on a repeated parameter. */
  refuseRepeated(): void {
    const [name] = this.repeated;
    if (name !== undefined)
      throw new OAuthRefusal('invalid_request', `A parameter came more than once: ${printable(name)}`);
  }
}

/** Returns the parameters of the query, decoded here and not by Express. */
export function queryParameters(req: Request): Parameters {
  const at = req.originalUrl.indexOf('?');
  return new Parameters(at < 0 ? '' : req.originalUrl.slice(at + 1));
}

/** Returns the parameters of a form body; a credential in the address is refused (RFC 6749 section 2.3.1). */
export async function formParameters(req: Request, res: Response): Promise<Parameters> {
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  const raw = await readRaw(req, res, bodyLimit);
  if (type !== 'application/x-www-form-urlencoded')
    throw new OAuthRefusal('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.');
  const query = queryParameters(req);
  if (
    ['client_id', 'client_secret', 'grant_type', 'code', 'code_verifier', 'refresh_token', 'token'].some((name) =>
      query.has(name),
    )
  )
    throw new OAuthRefusal('invalid_request', 'Send the parameters in the body, not in the address.');
  const parameters = new Parameters(raw.toString('utf8'));
  parameters.refuseRepeated();
  return parameters;
}

/** Replaces the characters that an error description may not have (RFC 6749 section 5.2). */
export function printable(text: string): string {
  return cut(text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?'), 200);
}
