import type { Worded } from '../../../../core/text/catalogue';
import type { files as en } from '../en/files';

export const files: Worded<typeof en> = {
  kinds: { image: 'Imagem', video: 'Vídeo', document: 'Documento' },
  hint: 'É enviado assim que você o escolhe.',
  unnamed: 'Um arquivo',
  chosen: (name) => `${name} foi escolhido. Escolha outro para substituí-lo.`,
};
