import type { Worded } from '../../../../core/text/catalogue';
import type { common as en } from '../en/common';

export const common: Worded<typeof en> = {
  edit: 'Editar',
  save: 'Salvar',
  create: 'Criar',
  cancel: 'Cancelar',
  delete: 'Excluir',
  optional: 'opcional',
  actions: 'Ações',
  default: 'padrão',
  pages: 'Páginas',
  previous: 'Anterior',
  next: 'Próxima',
  inAll: (count) => `${count} no total`,
  settings: 'Configurações',
  choice: { yes: 'Sim', no: 'Não', several: 'Segure Ctrl ou ⌘ para escolher vários.' },
};
