import type { Worded } from '../../../../core/text/catalogue';
import type { settings as en } from '../en/settings';

export const settings: Worded<typeof en> = {
  groups: {
    workspace: 'Arbeitsbereich',
    people: 'Personen',
    work: 'Arbeit',
    developers: 'Entwickler',
    you: 'Sie',
  },
  sections: {
    workspace: 'Arbeitsbereich',
    sso: 'Single Sign-on',
    numbers: 'Nummern',
    plan: 'Tarif',
    usage: 'Kosten',
    audit: 'Prüfprotokoll',
    members: 'Mitglieder',
    inboxes: 'Team-Posteingänge',
    hours: 'Arbeitszeiten',
    fields: 'Eigene Felder',
    templates: 'Vorlagen',
    sla: 'SLA-Richtlinien',
    keys: 'API-Schlüssel',
    webhooks: 'Webhooks',
    agents: 'Agenten',
    account: 'Ihr Konto',
  },
  copy: 'Kopieren',
  sentBefore:
    'Dieses Formular wurde schon gesendet. Was es erstellt hat, steht in der Liste; das Geheimnis wurde damals einmal ' +
    'angezeigt.',
};
