import { common } from './en/common';
import { customFields } from './en/customFields';
import { inbox } from './en/inbox';
import { composer } from './en/inboxComposer';
import { details } from './en/inboxDetails';
import { thread } from './en/inboxThread';
import { sla } from './en/sla';
import { rules } from './en/rules';
import { teamInboxes } from './en/teamInboxes';

const en = { common, customFields, inbox, composer, details, thread, rules, sla, teamInboxes };

/** The texts of pages, by subject. Another language is an object of this type: one without a key does not compile. */
type Words = typeof en;

/** What pages say, in English: the one language so far. */
export const words: Words = en;
