import type { Worded } from '../../../../core/text/catalogue';
import type { replies as en } from '../en/replies';

export const replies: Worded<typeof en> = {
  title: 'Textbausteine',
  new: 'Neuer Textbaustein',
  newTitle: 'Neuer Textbaustein',
  empty: {
    title: 'Noch keine Textbausteine',
    before: 'Ein Text, den Sie oft senden: Tippen Sie in einer Konversation ',
    after: ' und sein Kürzel, und ändern Sie ihn, bevor er hinausgeht.',
  },
  team: 'vom Team',
  own: 'Ihrer',
  fields: {
    shortcut: { label: 'Kürzel', hint: 'Was Sie hinter / tippen' },
    body: {
      label: 'Text',
      hint: '{{name}}, {{first_name}}, {{phone}}, {{email}} und {{company}} stehen für den Kontakt.',
    },
    is_shared: { label: 'Für das ganze Team' },
  },
  files: {
    title: 'Dateien',
    hint: 'Werden mit dem Text gesendet, jede als eigene Nachricht.',
    add: 'Dateien hinzufügen',
  },
  made: (shortcut) => `Der Textbaustein ist gespeichert. Tippen Sie /${shortcut} in einer Konversation.`,
  saved: 'Der Textbaustein ist gespeichert.',
  deleted: 'Der Textbaustein ist gelöscht.',
  delete: {
    title: 'Diesen Textbaustein löschen?',
    named: (name) => `„${name}“ löschen?`,
    text: 'Er kann nicht zurückgeholt werden.',
    button: 'Diesen Textbaustein löschen',
  },
};
