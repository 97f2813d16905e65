import type { Worded } from '../../../../core/text/catalogue';
import type { teamInboxes as en } from '../en/teamInboxes';
import { plural } from '../plural';

export const teamInboxes: Worded<typeof en> = {
  title: 'Caixas da equipe',
  one: 'Caixa da equipe',
  new: 'Nova caixa da equipe',
  newTitle: 'Nova caixa da equipe',
  empty: {
    title: 'Nenhuma caixa da equipe ainda',
    text: 'Uma caixa da equipe reúne as conversas de um grupo, por exemplo Cobrança. A primeira é a padrão.',
  },
  made: 'A caixa da equipe foi criada.',
  saved: 'A caixa da equipe foi salva.',
  deleted: 'A caixa da equipe foi excluída.',
  delete: {
    title: 'Excluir esta caixa da equipe?',
    named: (name) => `Excluir “${name}”?`,
    text: 'As conversas e os tickets dela ficam sem caixa. Isso não pode ser desfeito.',
    button: 'Excluir esta caixa da equipe',
  },
  fields: {
    name: { label: 'Nome' },
    description: { label: 'Descrição' },
    member_ids: { label: 'Membros' },
    is_default: { label: 'Torná-la a padrão no lugar da atual' },
  },
  nobody: 'Ninguém está nela',
  assignment: {
    title: 'Atribuição',
    mode: 'As conversas encontram um membro',
    modes: { manual: 'À mão', round_robin: 'Por turnos', balanced: 'Quem tiver menos abertas' },
    waiting: (count) =>
      count === 0
        ? 'Ninguém espera por um membro.'
        : plural(count, { one: 'espera por um membro.', other: 'esperam por um membro.' }),
    capacity: (name) => `Máximo de conversas abertas de ${name}`,
    about: (open, isAway) => `Tem ${open} agora${isAway ? ' e está ausente' : ''}. Vazio: quantas vierem.`,
    save: 'Salvar a atribuição',
    saved: 'A atribuição foi salva.',
  },
};
