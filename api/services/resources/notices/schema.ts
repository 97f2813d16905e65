import { noticeLevels } from '../../../../models/enums';
import { boolean, choice, described, input, nullable, object, required, text } from '../../../core/http/fields';
import { reason } from '../reasons';

/** What is said of each setting, also where it is shown. */
export const settingTexts = {
  notify_assigned:
    'When a conversation is given to you: `off`, `page` (in your open pages) or `push` (also by web push).',
  notify_message: 'When a customer writes in a conversation of yours.',
  notify_unassigned:
    'When a customer begins to wait in a conversation that nobody has, in your team inboxes or in none.',
  notify_mention: 'When a note or a comment mentions you.',
  notify_held: 'When a message for later, of yours or in a conversation of yours, is held.',
  notify_sound: 'Whether your pages sound.',
  quiet_from: 'When your quiet hours begin, by the clock of the workspace’s time zone; null: there are none.',
  quiet_until: 'When they end; nothing sounds or is pushed in them.',
} as const;

const timeOfDay = () =>
  nullable(
    text({
      max: 5,
      blank: false,
      pattern: /^([01]\d|2[0-3]):[0-5]\d$/,
      patternMessage: reason('noTime'),
    }),
  );
const level = () => choice(noticeLevels);

/** `PATCH /notification-settings/`. */
export const notificationSettingsInput = input({
  notify_assigned: described(level(), settingTexts.notify_assigned),
  notify_message: described(level(), settingTexts.notify_message),
  notify_unassigned: described(level(), settingTexts.notify_unassigned),
  notify_mention: described(level(), settingTexts.notify_mention),
  notify_held: described(level(), settingTexts.notify_held),
  notify_sound: described(boolean(), settingTexts.notify_sound),
  quiet_from: described(timeOfDay(), settingTexts.quiet_from, '22:00'),
  quiet_until: described(timeOfDay(), settingTexts.quiet_until, '07:00'),
});

const key = (max: number, description: string) =>
  described(required(text({ max, blank: false, pattern: /^[\w-]+$/ })), description);

/** `POST /push-subscriptions/`: a `PushSubscription` of the browser, as it is in JSON. */
export const pushSubscriptionInput = input({
  endpoint: described(required(text({ max: 2_048, blank: false })), 'Where the push service of the browser takes it.'),
  keys: described(
    required(object({ p256dh: key(128, 'Its public key.'), auth: key(64, 'Its secret.') }, 'PushKeys')),
    'The keys for which is encrypted, in base64url.',
  ),
});
