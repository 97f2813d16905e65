import { account } from './account';
import { activity } from './activity';
import { agents } from './agents';
import { apiKeys } from './apiKeys';
import { approvals } from './approvals';
import { auditLog } from './auditLog';
import { broadcasts } from './broadcasts';
import { common } from './common';
import { concerns } from './concerns';
import { composer } from './inboxComposer';
import { consent } from './consent';
import { contactImport } from './contactImport';
import { contacts } from './contacts';
import { customFields } from './customFields';
import { details } from './inboxDetails';
import { files } from './files';
import { filterBar } from './filterBar';
import { flows } from './flows';
import { frame } from './frame';
import { hours } from './hours';
import { inbox } from './inbox';
import { macros } from './macros';
import { members } from './members';
import { notifications } from './notifications';
import { numbers } from './numbers';
import { pipelines } from './pipelines';
import { plain } from './plain';
import { refusals } from './refusals';
import { replies } from './replies';
import { reports } from './reports';
import { rescue } from './rescue';
import { rules } from './rules';
import { scripts } from './scripts';
import { search } from './search';
import { settings } from './settings';
import { signIn } from './signIn';
import { sla } from './sla';
import { spans } from './spans';
import { sso } from './sso';
import { steps } from './steps';
import { teamInboxes } from './teamInboxes';
import { templates } from './templates';
import { thread } from './inboxThread';
import { tickets } from './tickets';
import { ticketsPanel } from './ticketsPanel';
import { usage } from './usage';
import { webhooks } from './webhooks';
import { workspace } from './workspace';

/**
 * Portuguese as in Brazil, with “você”.
 *
 * conversation conversa · ticket ticket · stage etapa · pipeline pipeline · broadcast transmissão · macro macro · snooze
 * adiar · done, resolved concluir, concluída · rule regra · template modelo · canned reply resposta pronta · note nota ·
 * mention menção · wait espera · assignee atribuída a, responsável · tag etiqueta · team inbox caixa da equipe · approval
 * aprovação · deadline prazo · opt out descadastrar-se, sair · workspace espaço de trabalho · operator operador
 */
export const ptBr = {
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
