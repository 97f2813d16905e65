import type { Worded } from '../../../../core/text/catalogue';
import type { settings as en } from '../en/settings';

export const settings: Worded<typeof en> = {
  groups: {
    workspace: 'Espacio de trabajo',
    people: 'Personas',
    work: 'Trabajo',
    developers: 'Desarrolladores',
    you: 'Tú',
  },
  sections: {
    workspace: 'Espacio de trabajo',
    sso: 'Inicio de sesión único',
    numbers: 'Números',
    plan: 'Plan',
    usage: 'Costos',
    audit: 'Registro de auditoría',
    members: 'Miembros',
    inboxes: 'Bandejas de equipo',
    hours: 'Horarios',
    fields: 'Campos personalizados',
    templates: 'Plantillas',
    sla: 'Políticas de SLA',
    keys: 'Claves de API',
    webhooks: 'Webhooks',
    agents: 'Agentes',
    account: 'Tu cuenta',
  },
  copy: 'Copiar',
  sentBefore: 'Este formulario ya se envió. Lo que creó está en la lista; su secreto se mostró entonces, una sola vez.',
};
