import type { RescueKind } from '../../../../services/processes/credentials/rescue';
import { plural } from '../plural';

const actions = { one: 'action', other: 'actions' };
const calls = { one: 'call', other: 'calls' };
const connections = { one: 'connection', other: 'connections' };
const runs = { one: 'run', other: 'runs' };
const events = { one: 'event', other: 'events' };
const things = { one: 'thing', other: 'things' };

/** The one page that ends what is in wrong hands. */
export const rescue = {
  title: 'Was this not you?',
  about:
    'Here is all that goes on for you: your other sessions, and what was made in your name. What is ticked ends at ' +
    'once; so does what is made before you press the button. Then choose a new password.',
  madeIn: 'Made in',
  days: (days: number) => (days === 1 ? 'Last day' : `Last ${days} days`),
  nothing: 'Nothing goes on but this session.',
  ends: 'What ends',
  end: 'End what is ticked',
  ended: (count: number) => `${plural(count, things)} ended. Choose a new password, too.`,
  kinds: {
    session: 'Session',
    browser: 'Browser that takes push',
    link: 'Link for a password',
    api_key: 'API key',
    agent: 'Agent',
    oauth_client: 'Application',
    webhook: 'Webhook',
    broadcast: 'Scheduled broadcast',
    message: 'Message for later',
    rule: 'Rule',
  } satisfies Record<RescueKind, string>,
  /** What a kind has done. */
  used: {
    session: (uses: number) => plural(uses, actions),
    browser: () => '',
    link: () => '',
    api_key: (uses: number) => plural(uses, calls),
    agent: (uses: number) => plural(uses, calls),
    oauth_client: (uses: number) => plural(uses, connections),
    webhook: (uses: number) => `${plural(uses, events)} delivered`,
    broadcast: () => '',
    message: () => '',
    rule: (uses: number) => plural(uses, runs),
  } satisfies Record<RescueKind, (uses: number) => string>,
  unnamed: 'without a name',
  since: (moment: string) => `since ${moment}`,
  lastUsed: (moment: string) => `last used ${moment}`,
  from: (places: string) => `from ${places}`,
};
