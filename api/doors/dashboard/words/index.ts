import { account } from './en/account';
import { activity } from './en/activity';
import { agents } from './en/agents';
import { apiKeys } from './en/apiKeys';
import { approvals } from './en/approvals';
import { auditLog } from './en/auditLog';
import { broadcasts } from './en/broadcasts';
import { common } from './en/common';
import { concerns } from './en/concerns';
import { composer } from './en/inboxComposer';
import { consent } from './en/consent';
import { contactImport } from './en/contactImport';
import { contacts } from './en/contacts';
import { customFields } from './en/customFields';
import { details } from './en/inboxDetails';
import { files } from './en/files';
import { filterBar } from './en/filterBar';
import { flows } from './en/flows';
import { frame } from './en/frame';
import { hours } from './en/hours';
import { inbox } from './en/inbox';
import { macros } from './en/macros';
import { members } from './en/members';
import { notifications } from './en/notifications';
import { numbers } from './en/numbers';
import { pipelines } from './en/pipelines';
import { plain } from './en/plain';
import { refusals } from './en/refusals';
import { replies } from './en/replies';
import { reports } from './en/reports';
import { rescue } from './en/rescue';
import { rules } from './en/rules';
import { scripts } from './en/scripts';
import { search } from './en/search';
import { settings } from './en/settings';
import { signIn } from './en/signIn';
import { sla } from './en/sla';
import { spans } from './en/spans';
import { sso } from './en/sso';
import { steps } from './en/steps';
import { teamInboxes } from './en/teamInboxes';
import { templates } from './en/templates';
import { thread } from './en/inboxThread';
import { tickets } from './en/tickets';
import { ticketsPanel } from './en/ticketsPanel';
import { usage } from './en/usage';
import { webhooks } from './en/webhooks';
import { workspace } from './en/workspace';
import { catalogue } from '../../../core/text/catalogue';
import { de } from './de';
import { es } from './es';
import { ptBr } from './pt-BR';

const en = {
  account,
  activity,
  agents,
  apiKeys,
  approvals,
  auditLog,
  broadcasts,
  common,
  composer,
  concerns,
  consent,
  contactImport,
  contacts,
  customFields,
  details,
  files,
  filterBar,
  flows,
  frame,
  hours,
  inbox,
  macros,
  members,
  notifications,
  numbers,
  pipelines,
  plain,
  refusals,
  replies,
  reports,
  rescue,
  rules,
  scripts,
  search,
  settings,
  signIn,
  sla,
  spans,
  sso,
  steps,
  teamInboxes,
  templates,
  thread,
  tickets,
  ticketsPanel,
  usage,
  webhooks,
  workspace,
};

/**
 * What pages say, by subject, in the language of the request. Another language is a folder beside `en`: one that lacks a
 * text does not compile.
 */
export const words = catalogue<typeof en>({ en, de, es, 'pt-BR': ptBr });
