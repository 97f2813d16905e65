import type { Worded } from '../../../../core/text/catalogue';
import type { apiKeys as en } from '../en/apiKeys';
import { plural } from '../plural';

export const apiKeys: Worded<typeof en> = {
  title: 'API-Schlüssel',
  new: 'Neuer Schlüssel',
  newTitle: 'Neuer API-Schlüssel',
  about: 'Der Schlüssel gehört Ihnen: Er kann höchstens, was Sie können, und verliert, was Sie verlieren.',
  empty: {
    title: 'Noch keine Schlüssel',
    text:
      'Mit einem Schlüssel nutzt ein Programm die API oder ein Agent {mcp}, mit den Berechtigungen, die Sie wählen. ' +
      '{reference}',
    reference: 'Die API-Referenz',
  },
  columns: {
    name: 'Name',
    permissions: 'Berechtigungen',
    autonomy: 'Autonomie',
    used: 'Zuletzt verwendet',
    expires: 'Läuft ab',
  },
  member: (id) => `Mitglied ${id}`,
  permissions: (count) => `${count} davon`,
  notes: 'liest Notizen',
  never: 'nie',
  revoked: 'widerrufen',
  expired: 'abgelaufen',
  onlyFrom: (count) => `Nur aus ${plural(count, { one: 'Netz', other: 'Netzen' })}`,
  fields: {
    name: { label: 'Name', hint: 'Wofür er ist, zum Beispiel „Shopsystem“.' },
    scopes: { label: 'Berechtigungen', hint: 'Wählen Sie so wenige, wie er braucht.' },
    autonomy: {
      label: 'Autonomie',
      hint: 'Unterhalb von „autonom“ weist die API das Senden ab; über /mcp wartet es auf Freigabe.',
    },
    expires_at: { label: 'Läuft ab' },
    allowed_addresses: {
      label: 'Nur von diesen Adressen',
      hint: 'Eine Adresse oder ein Netz pro Zeile, zum Beispiel 203.0.113.0/24 oder 2001:db8::/32. Leer: von überall.',
    },
    notes: {
      label: 'Liest die Notizen des Teams',
      hint: 'Ohne Häkchen kann er mit chat.assign Notizen schreiben, aber keine lesen.',
    },
  },
  zone: (zone) => `In der Zeitzone des Arbeitsbereichs, ${zone}.`,
  noMoment: 'Geben Sie Datum und Uhrzeit ein.',
  levels: {
    autonomous: 'Autonom: sendet selbstständig',
    approval: 'Freigabe: jedes Senden fragt die Mitglieder',
    draft: 'Entwurf: Gesendetes wartet auf Durchsicht',
  },
  create: 'Schlüssel erstellen',
  made: {
    title: 'Ihr neuer Schlüssel',
    copy: 'Kopieren Sie ihn jetzt: Er wird nur dieses eine Mal angezeigt.',
    label: 'API-Schlüssel',
    copied: 'Ich habe ihn kopiert',
  },
  revoke: {
    button: 'Widerrufen',
    title: 'Schlüssel widerrufen',
    named: (name) => `„${name}“ widerrufen?`,
    text:
      'Jedes Programm, das ihn verwendet, wird ab der nächsten Anfrage abgewiesen. Das lässt sich nicht rückgängig ' +
      'machen.',
    done: 'Der Schlüssel ist widerrufen.',
  },
};
