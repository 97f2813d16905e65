/** Error codes of RFC 6749 sections 4.1.2.1 and 5.2 and RFC 8707 section 2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'temporarily_unavailable'
  | 'server_error';

/** A refusal with an error code of OAuth; the HTTP layer turns it into JSON or into a redirect back to the client. */
export class OAuthRefusal extends Error {
  constructor(
    readonly error: OAuthErrorCode,
    description: string,
    readonly status = 400,
  ) {
    super(description);
    this.name = 'OAuthRefusal';
  }
}
