import type { Worded } from '../../../../core/text/catalogue';
import type { files as en } from '../en/files';

export const files: Worded<typeof en> = {
  kinds: { image: 'Imagen', video: 'Video', document: 'Documento' },
  hint: 'Se sube en cuanto lo eliges.',
  unnamed: 'Un archivo',
  chosen: (name) => `${name} está elegido. Elige otro para reemplazarlo.`,
};
