import { presenceStates, type PresenceState } from '../../../../models/enums';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { userFromJson, type UserJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';

/** A member who is in a conversation. */
export interface PresenceView {
  readonly conversation_id: number;
  readonly receiver_id: string;
  readonly member: UserJson;
  readonly state: PresenceState;
  readonly seen_at: Date;
}

/** A sign of a member (contract 18.1). */
export const { schema: presenceShape, serialize: serializePresence } = shapeOf<PresenceView>('Presence').with({
  conversation_id: wire.integer(),
  receiver_id: wire.text(),
  member: from(userObjectShape, ({ member }) => userObject(userFromJson(member))),
  state: wire.oneOf(presenceStates),
  seen_at: wire.datetime(),
});
