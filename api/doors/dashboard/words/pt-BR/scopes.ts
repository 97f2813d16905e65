import type { Worded } from '../../../../core/text/catalogue';
import type { scopes as en } from '../en/scopes';

export const scopes: Worded<typeof en> = {
  'team.view': 'Ver os membros da equipe.',
  'chat.view': 'Ver conversas.',
  'chat.send_message': 'Enviar mensagens.',
  'chat.assign': 'Alterar status, prioridade e etiquetas de conversas; reatribuí-las a um membro ou uma caixa.',
  'contact.view': 'Ver contatos.',
  'contact.edit': 'Criar e alterar contatos.',
  'contact.delete': 'Excluir contatos.',
  'template.view': 'Ver modelos.',
  'catalogue.view': 'Ver produtos do catálogo.',
  'inbox.view': 'Ver caixas da equipe.',
  'ticket.view': 'Ver tickets, pipelines, etapas, comentários e atividade.',
  'ticket.manage': 'Criar, alterar e excluir tickets; comentar; escalar; gerenciar pipelines e etapas.',
  'flow.view': 'Ver flows, envios e métricas.',
  'macro.view': 'Ver e executar macros.',
  'macro.manage': 'Criar, editar e excluir macros (só no painel).',
  'broadcast.manage': 'Criar, confirmar, agendar e acompanhar transmissões.',
  'webhook.manage': 'Gerenciar webhooks de saída.',
  'report.view': 'Ver os relatórios (só no painel).',
  'workspace.manage': 'Gerenciar o espaço de trabalho, seus membros, chaves e agentes (só no painel).',
  billing: 'Escolher o plano (só no painel).',
};
