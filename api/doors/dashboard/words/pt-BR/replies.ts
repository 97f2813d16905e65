import type { Worded } from '../../../../core/text/catalogue';
import type { replies as en } from '../en/replies';

export const replies: Worded<typeof en> = {
  title: 'Respostas prontas',
  new: 'Nova resposta',
  newTitle: 'Nova resposta pronta',
  empty: {
    title: 'Nenhuma resposta pronta ainda',
    before: 'Um texto que você envia com frequência: digite ',
    after: ' e o atalho dele em uma conversa, e altere-o antes que saia.',
  },
  team: 'da equipe',
  own: 'sua',
  fields: {
    shortcut: { label: 'Atalho', hint: 'O que você digita depois da /' },
    body: {
      label: 'Texto',
      hint: '{{name}}, {{first_name}}, {{phone}}, {{email}} e {{company}} representam o contato.',
    },
    is_shared: { label: 'Para toda a equipe' },
  },
  files: {
    title: 'Arquivos',
    hint: 'Enviados com o texto, cada um como uma mensagem própria.',
    add: 'Adicionar arquivos',
  },
  made: (shortcut) => `A resposta foi salva. Digite /${shortcut} em uma conversa.`,
  saved: 'A resposta foi salva.',
  deleted: 'A resposta foi excluída.',
  delete: {
    title: 'Excluir esta resposta?',
    named: (name) => `Excluir “${name}”?`,
    text: 'Ela não pode ser recuperada.',
    button: 'Excluir esta resposta',
  },
};
