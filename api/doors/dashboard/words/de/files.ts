import type { Worded } from '../../../../core/text/catalogue';
import type { files as en } from '../en/files';

export const files: Worded<typeof en> = {
  kinds: { image: 'Bild', video: 'Video', document: 'Dokument' },
  hint: 'Sie wird hochgeladen, sobald Sie sie auswählen.',
  unnamed: 'Eine Datei',
  chosen: (name) => `${name} ist ausgewählt. Wählen Sie eine andere, um sie zu ersetzen.`,
};
