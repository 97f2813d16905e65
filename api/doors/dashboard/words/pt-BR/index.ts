/**
 * Portuguese as in Brazil, with “você”.
 *
 * conversation conversa · ticket ticket · stage etapa · pipeline pipeline · broadcast transmissão · macro macro · snooze
 * adiar · done, resolved concluir, concluída · rule regra · template modelo · canned reply resposta pronta · note nota ·
 * mention menção · wait espera · assignee atribuída a, responsável · tag etiqueta · team inbox caixa da equipe · approval
 * aprovação · deadline prazo · opt out descadastrar-se, sair · workspace espaço de trabalho · operator operador
 */

export { account } from './account';
export { activity } from './activity';
export { agents } from './agents';
export { apiKeys } from './apiKeys';
export { approvals } from './approvals';
export { auditLog } from './auditLog';
export { broadcasts } from './broadcasts';
export { common } from './common';
export { composer } from './inboxComposer';
export { concerns } from './concerns';
export { consent } from './consent';
export { contactImport } from './contactImport';
export { contacts } from './contacts';
export { customFields } from './customFields';
export { details } from './inboxDetails';
export { files } from './files';
export { filterBar } from './filterBar';
export { flows } from './flows';
export { frame } from './frame';
export { hours } from './hours';
export { inbox } from './inbox';
export { macros } from './macros';
export { members } from './members';
export { notifications } from './notifications';
export { numbers } from './numbers';
export { pipelines } from './pipelines';
export { plain } from './plain';
export { refusals } from './refusals';
export { replies } from './replies';
export { reports } from './reports';
export { rescue } from './rescue';
export { rules } from './rules';
export { scopes } from './scopes';
export { scripts } from './scripts';
export { search } from './search';
export { settings } from './settings';
export { signIn } from './signIn';
export { sla } from './sla';
export { spans } from './spans';
export { sso } from './sso';
export { steps } from './steps';
export { teamInboxes } from './teamInboxes';
export { templates } from './templates';
export { thread } from './inboxThread';
export { tickets } from './tickets';
export { ticketsPanel } from './ticketsPanel';
export { told } from './told';
export { usage } from './usage';
export { values } from './values';
export { webhooks } from './webhooks';
export { workspace } from './workspace';
