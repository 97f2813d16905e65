import type { Worded } from '../../../../core/text/catalogue';
import type { templates as en } from '../en/templates';

export const templates: Worded<typeof en> = {
  title: 'Modelos',
  about: 'Mensagens que a plataforma precisa aprovar antes de serem enviadas. Elas são criadas e alteradas lá.',
  filters: {
    status: 'Status',
    category: 'Categoria',
    anyStatus: 'Qualquer status',
    anyCategory: 'Qualquer categoria',
  },
  show: 'Mostrar',
  empty: {
    title: 'Nenhum modelo',
    text: 'Eles aparecem aqui após a próxima sincronização.',
    none: 'Nenhum corresponde.',
    all: 'Mostrar todos',
  },
  columns: {
    name: 'Nome',
    language: 'Idioma',
    category: 'Categoria',
    status: 'Status',
    id: 'ID',
    account: 'Conta',
  },
  refused: (reason) => `A plataforma o recusou: ${reason}`,
  reads: 'O que um cliente lê',
  file: (kind) => `Um arquivo: ${kind}`,
  written: 'A plataforma escreve o texto dele.',
};
