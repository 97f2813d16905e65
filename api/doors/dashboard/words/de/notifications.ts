import type { Worded } from '../../../../core/text/catalogue';
import type { notifications as en } from '../en/notifications';

export const notifications: Worded<typeof en> = {
  title: 'Benachrichtigungen',
  kinds: {
    notify_assigned: 'Eine Konversation wird mir zugewiesen',
    notify_message: 'Ein Kunde schreibt in einer meiner Konversationen',
    notify_unassigned: 'Ein Kunde beginnt in einer Konversation zu warten, die niemand hat',
    notify_mention: 'Ich werde in einer Notiz oder einem Kommentar erwähnt',
    notify_held: 'Eine meiner Nachrichten für später wird zurückgehalten',
  },
  levels: { off: 'Aus', page: 'In offenen Seiten', push: 'In offenen Seiten und per Push' },
  fields: {
    notify_sound: { label: 'Mit Ton' },
    quiet_from: { label: 'Ruhe von', hint: 'In diesen Stunden tönt nichts, und es kommt kein Push.' },
    quiet_until: { label: 'Ruhe bis' },
  },
  save: 'Benachrichtigungen speichern',
  browsers: {
    title: 'Benachrichtigungen in Browsern',
    unknown: 'Unbekannter Browser',
    since: 'bekommt Push seit {since}, bis seine Sitzung endet',
    remove: 'Entfernen',
    removed: 'Dieser Browser bekommt nichts mehr.',
    about: 'Dieser Browser zeigt eigene Benachrichtigungen, sobald Sie sie in ihm einschalten.',
    noPush: 'Sie kommen, solange eine Seite offen ist: Diese Installation hat kein Web-Push.',
    on: 'In diesem Browser einschalten',
    off: 'In diesem Browser ausschalten',
  },
};
