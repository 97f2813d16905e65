import type { Worded } from '../../../../core/text/catalogue';
import type { scopes as en } from '../en/scopes';

export const scopes: Worded<typeof en> = {
  'team.view': 'Ver a los miembros del equipo.',
  'chat.view': 'Ver conversaciones.',
  'chat.send_message': 'Enviar mensajes.',
  'chat.assign': 'Cambiar estado, prioridad y etiquetas de conversaciones; reasignarlas a un miembro o una bandeja.',
  'contact.view': 'Ver contactos.',
  'contact.edit': 'Crear y cambiar contactos.',
  'contact.delete': 'Eliminar contactos.',
  'template.view': 'Ver plantillas.',
  'catalogue.view': 'Ver productos del catálogo.',
  'inbox.view': 'Ver bandejas de equipo.',
  'ticket.view': 'Ver tickets, pipelines, etapas, comentarios y actividad.',
  'ticket.manage': 'Crear, cambiar y eliminar tickets; comentar; escalar; gestionar pipelines y etapas.',
  'flow.view': 'Ver flows, envíos y métricas.',
  'macro.view': 'Ver y ejecutar macros.',
  'macro.manage': 'Crear, editar y eliminar macros (solo en el panel).',
  'broadcast.manage': 'Crear, confirmar, programar y seguir difusiones.',
  'webhook.manage': 'Gestionar webhooks salientes.',
  'report.view': 'Ver los informes (solo en el panel).',
  'workspace.manage': 'Gestionar el espacio de trabajo, sus miembros, claves y agentes (solo en el panel).',
  billing: 'Elegir el plan (solo en el panel).',
};
