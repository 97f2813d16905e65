import type { Worded } from '../../../../core/text/catalogue';
import type { settings as en } from '../en/settings';

export const settings: Worded<typeof en> = {
  groups: {
    workspace: 'Espaço de trabalho',
    people: 'Pessoas',
    work: 'Trabalho',
    developers: 'Desenvolvedores',
    you: 'Você',
  },
  sections: {
    workspace: 'Espaço de trabalho',
    sso: 'Login único',
    numbers: 'Números',
    plan: 'Plano',
    usage: 'Custos',
    audit: 'Log de auditoria',
    members: 'Membros',
    inboxes: 'Caixas da equipe',
    hours: 'Horários',
    fields: 'Campos personalizados',
    templates: 'Modelos',
    sla: 'Políticas de SLA',
    keys: 'Chaves de API',
    webhooks: 'Webhooks',
    agents: 'Agentes',
    account: 'Sua conta',
  },
  copy: 'Copiar',
  sentBefore:
    'Este formulário já foi enviado. O que ele criou está na lista; o segredo foi mostrado naquele momento, uma vez.',
};
