import type { Worded } from '../../../../core/text/catalogue';
import type { scopes as en } from '../en/scopes';

export const scopes: Worded<typeof en> = {
  'team.view': 'Mitglieder sehen.',
  'chat.view': 'Konversationen sehen.',
  'chat.send_message': 'Nachrichten senden.',
  'chat.assign':
    'Status, Priorität und Schlagwörter von Konversationen ändern; sie anderen Mitgliedern oder Team-Posteingängen zuweisen.',
  'contact.view': 'Kontakte sehen.',
  'contact.edit': 'Kontakte anlegen und ändern.',
  'contact.delete': 'Kontakte löschen.',
  'template.view': 'Vorlagen sehen.',
  'catalogue.view': 'Produkte des Katalogs sehen.',
  'inbox.view': 'Team-Posteingänge sehen.',
  'ticket.view': 'Tickets, Pipelines, Phasen, Kommentare und Aktivität sehen.',
  'ticket.manage': 'Tickets anlegen, ändern und löschen; kommentieren; eskalieren; Pipelines und Phasen verwalten.',
  'flow.view': 'Flows, Einsendungen und Kennzahlen sehen.',
  'macro.view': 'Makros sehen und ausführen.',
  'macro.manage': 'Makros anlegen, bearbeiten und löschen (nur im Dashboard).',
  'broadcast.manage': 'Broadcasts anlegen, bestätigen, planen und verfolgen.',
  'webhook.manage': 'Ausgehende Webhooks verwalten.',
  'report.view': 'Berichte sehen (nur im Dashboard).',
  'workspace.manage': 'Arbeitsbereich, Mitglieder, Schlüssel und Agenten verwalten (nur im Dashboard).',
  billing: 'Den Plan wählen (nur im Dashboard).',
};
