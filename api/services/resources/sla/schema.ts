import { slaSubjects } from '../../../../models/enums';
import {
  boolean,
  choice,
  described,
  input,
  integer,
  list,
  nullable,
  pk,
  required,
  text,
  type InputOf,
} from '../../../core/http/fields';

/** Longest target: about ten years. */
const maxMinutes = 5_256_000;

const name = text({ max: 255, blank: false });
const minutes = nullable(integer({ min: 1, max: maxMinutes }));

const targets = {
  first_response_minutes: described(minutes, 'Minutes until the first answer; null for no such target.'),
  resolution_minutes: described(minutes, 'Minutes until it is resolved; null for no such target.'),
  calendar_id: described(nullable(pk()), 'The minutes are working time of this calendar; null: of all day.'),
  applies_to: list(choice(slaSubjects), { min: 1, max: 2 }),
  is_default: described(boolean(), 'New tickets and conversations get the default policy.'),
};

/** `POST /sla-policies/`. */
export const createPolicyInput = input({ name: required(name), ...targets });
/** `PATCH /sla-policies/{id}/`. */
export const updatePolicyInput = input({ name, ...targets });

export type NewPolicy = InputOf<typeof createPolicyInput>;
export type PolicyPatch = InputOf<typeof updatePolicyInput>;
