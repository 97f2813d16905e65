import { activity } from './en/activity';
import { broadcasts } from './en/broadcasts';
import { common } from './en/common';
import { customFields } from './en/customFields';
import { files } from './en/files';
import { flows } from './en/flows';
import { macros } from './en/macros';
import { pipelines } from './en/pipelines';
import { replies } from './en/replies';
import { reports } from './en/reports';
import { sla } from './en/sla';
import { rules } from './en/rules';
import { steps } from './en/steps';
import { teamInboxes } from './en/teamInboxes';

const en = {
  common,
  customFields,
  rules,
  sla,
  teamInboxes,
  activity,
  broadcasts,
  files,
  flows,
  macros,
  pipelines,
  replies,
  reports,
  steps,
};

/** The texts of pages, by subject. Another language is an object of this type: one without a key does not compile. */
type Words = typeof en;

/** What pages say, in English: the one language so far. */
export const words: Words = en;
