import { cut } from '../../../core/text/cut';
import { broadcastStatuses, convStatuses, recipientStates, type RecipientState } from '../../../../models/enums';
import type * as yup from 'yup';
import {
  boolean,
  choice,
  datetime,
  describeObject,
  described,
  Fault,
  field,
  input,
  integer,
  isPlainObject,
  jsonObject,
  list,
  nullable,
  object,
  parseWith,
  required,
  runSchema,
  text,
  type Field,
  type InputOf,
} from '../../../core/http/fields';
import type { JsonSchema } from '../../../core/http/shapes';
import { pagingQuery } from '../../../core/http/paging';
import { noneOrPk } from '../contacts/schema';
import { templateVariables } from '../templates/variables';
import { reason } from '../reasons';
import { after } from '../../../core/http/reasons';

/** What a recipient can be asked for by; `sending` is a pending one whose call is under way. */
export const shownStates = ['pending', 'sending', ...recipientStates.filter((state) => state !== 'pending')] as const;
export type ShownState = RecipientState | 'sending';

const maxReceivers = 10_000;
const maxTags = 100;

/** A single value is taken for a list of one. */
function listOf<T>(item: Field<T>, max: number, min = 1): Field<T[]> {
  const many = list(item, { min, max });
  return field<T[]>(many.spec.meta?.json ?? {}, (raw) => parseWith(many, typeof raw === 'string' ? [raw] : raw));
}

const tags = (): Field<string[]> => listOf(text({ max: 255, blank: false }), maxTags);

const filters = input({
  all: boolean(),
  // Empty in a stored audience whose last contact was erased; the service refuses it from a caller.
  receiver_ids: listOf(text({ max: 160, blank: false }), maxReceivers, 0),
  tags_any: tags(),
  tags_all: tags(),
  tags_none: tags(),
  conv_status: listOf(choice(convStatuses), convStatuses.length),
  assigned_team_inbox: noneOrPk(),
  created_after: datetime(),
  created_before: datetime(),
  last_inbound_after: datetime(),
  last_inbound_before: datetime(),
  custom_fields: jsonObject(),
  resend_of: integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
});

/** The audience of a broadcast: all contacts, or those that match all given filters (contract 9). */
export type Audience = yup.InferType<typeof filters>;

/**
 * Reads an audience; stored ones are read by the same rules. A filter that is not known is refused, not ignored: a
 * misspelt one would reach people who were not meant.
 */
export function parseAudience(raw: unknown): Audience | Fault {
  if (!isPlainObject(raw)) return new Fault(reason('noAudience'));
  const unknown = Object.keys(raw).filter((key) => !Object.hasOwn(filters.fields, key));
  if (unknown.length > 0)
    return new Fault(...unknown.slice(0, 20).map((key) => after(`${cut(key, 100)}: `, reason('noFilter'))));
  const read = runSchema(filters, raw);
  if ('errors' in read)
    return new Fault(
      ...Object.entries(read.errors).flatMap(([key, messages]) =>
        messages.map((message) => after(`${key}: `, message)),
      ),
    );
  const audience = read.value as Audience;
  const named = Object.entries(audience).filter(
    ([key, value]) => key !== 'all' && !(isPlainObject(value) && Object.keys(value).length === 0),
  );
  if (audience.all === true && named.length > 0) return new Fault(reason('allAndFilters'));
  return audience.all === true || named.length > 0 ? audience : new Fault(reason('emptyAudience'));
}

/** Describes an audience, in bodies and answers. */
export const audienceJson: JsonSchema = {
  title: 'Audience',
  ...describeObject(filters),
  additionalProperties: false,
  description:
    '`{"all": true}` or filters, of which all must hold. A contact that `receiver_ids` names twice is a ' +
    'recipient twice, and skipped as `duplicate` the second time.',
};

const audience = (): Field<Audience> => field<Audience>(audienceJson, parseAudience);

const content = {
  msgapp_business_account_id: nullable(text({ max: 64 })),
  phone_number_id: described(
    nullable(text({ max: 64 })),
    "The number to send from; required when the template's account has several.",
  ),
  template_variables: nullable(templateVariables(['static', 'field'])),
  header_media: described(
    nullable(object({ id: required(text({ max: 64, blank: false })) }, 'HeaderMedia')),
    'The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or ' +
      'document.',
  ),
};
const name = (): Field<string> => text({ max: 255, blank: false });
const templateId = (): Field<string> =>
  described(text({ max: 64, blank: false }), 'An APPROVED template of the workspace.');

/** `POST /broadcasts/`. */
export const createBroadcastInput = input({
  name: required(name()),
  template_id: required(templateId()),
  audience: required(audience()),
  ...content,
});

/** `PATCH /broadcasts/{id}/`. */
export const updateBroadcastInput = input({
  name: name(),
  template_id: nullable(templateId()),
  audience: audience(),
  ...content,
});

export type NewBroadcast = InputOf<typeof createBroadcastInput>;
export type BroadcastPatch = InputOf<typeof updateBroadcastInput>;

/**
 * `POST …/confirm/`: nothing, or the time. Null and blank are refused, because sending cannot be undone (contract 9).
 */
export const confirmBroadcastInput = input({
  scheduled_at: described(datetime(), 'A time in the future; without it, sending starts now.', '2027-01-04T09:00:00Z'),
});

/** `GET /broadcasts/`. */
export const listBroadcastsQuery = input({
  status: described(choice(broadcastStatuses), 'Only broadcasts in this state.'),
  ...pagingQuery,
});

/** `GET …/recipients/`. */
export const listRecipientsQuery = input({
  status: described(choice(shownStates), 'Only recipients in this state.'),
  ...pagingQuery,
});
