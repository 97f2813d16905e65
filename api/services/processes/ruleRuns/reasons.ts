import type { RuleEndEvent, SkipReason } from '../../../../models/ruleParts';
import type { PublicCode } from '../../../core/http/errors';

/** Codes of requests, and of what passes: no step of a macro is refused for good by one. */
type CodeOfRequests =
  | 'address_not_allowed'
  | 'authentication_failed'
  | 'headers_too_large'
  | 'idempotency_in_flight'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'macro_step_failed'
  | 'method_not_allowed'
  | 'parse_error'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'reauthentication_required'
  | 'request_timeout'
  | 'second_factor_required'
  | 'throttled'
  | 'unavailable'
  | 'unsupported_media_type';

/** Why a run came to what became of it. */
export type RunReason =
  SkipReason | RuleEndEvent | Exclude<PublicCode, CodeOfRequests> | ('by_member' | 'expired' | 'fault' | 'rejected');
