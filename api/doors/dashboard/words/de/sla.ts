import type { Worded } from '../../../../core/text/catalogue';
import type { sla as en } from '../en/sla';
import { listText } from '../lists';

export const sla: Worded<typeof en> = {
  title: 'SLA-Richtlinien',
  one: 'SLA-Richtlinie',
  new: 'Neue Richtlinie',
  newTitle: 'Neue SLA-Richtlinie',
  empty: {
    title: 'Noch keine Richtlinien',
    text:
      'Eine Richtlinie verspricht, wie bald Kunden eine erste Antwort und eine Lösung bekommen. Die Standardrichtlinie ' +
      'startet die Uhr bei jedem neuen Ticket und jeder neuen Konversation.',
  },
  made: 'Die Richtlinie ist erstellt.',
  saved: 'Die Richtlinie ist gespeichert. Fristen, die schon laufen, bleiben, wie sie waren.',
  deleted: 'Die Richtlinie ist gelöscht.',
  delete: {
    title: 'Diese Richtlinie löschen?',
    named: (name) => `„${name}“ löschen?`,
    text: 'Neue Tickets und Konversationen bekommen keine Fristen mehr von ihr. Das lässt sich nicht rückgängig machen.',
    button: 'Diese Richtlinie löschen',
  },
  fields: {
    name: { label: 'Name' },
    first_response_minutes: { label: 'Erste Antwort innerhalb von Minuten', hint: 'Leer: kein solches Versprechen.' },
    resolution_minutes: {
      label: 'Lösung innerhalb von Minuten',
      hint: 'Leer: kein solches Versprechen. 1440 Minuten sind ein Tag.',
    },
    calendar_id: { label: 'Die Minuten zählen in' },
    applies_to: { label: 'Für' },
    is_default: { label: 'Standard: startet die Uhr bei allem Neuen' },
  },
  targets: { tickets: 'Tickets', conversations: 'Konversationen' },
  allDay: 'Rund um die Uhr, jeden Tag',
  hoursOf: (name) => `Arbeitszeit von ${name}`,
  promise: (first, solution, targets) => `Erste Antwort: ${first} · Lösung: ${solution} · ${listText(targets)}`,
  inHours: ' · in Arbeitszeit',
  none: 'keine',
};
