import type { Worded } from '../../../../core/text/catalogue';
import type { concerns as en } from '../en/concerns';

export const concerns: Worded<typeof en> = {
  title: 'O que me diz respeito',
  all: 'Tudo',
  unread: 'Não lido',
  tabs: 'O que é mostrado',
  readAll: 'Marcar tudo como lido',
  read: 'Marcar como lido',
  isUnread: 'não lido',
  asks: 'Espera sua decisão',
  decide: 'Todas as aprovações',
  kinds: {
    mention: { by: (who) => `${who} mencionou você`, alone: 'Mencionaram você' },
    assigned: { by: (who) => `${who} atribuiu isto a você`, alone: 'Isto foi atribuído a você' },
    failed: { by: (who) => who, alone: 'Sua mensagem não pôde ser entregue' },
    held: { by: (who) => who, alone: 'Uma mensagem para depois está retida e espera por você' },
  },
  ticket: (id) => `Ticket #${id}`,
  older: 'Mais antigo',
  none: {
    title: 'Nada diz respeito a você agora',
    text:
      'Aqui está o que menciona você, o que outros atribuem a você, o que espera sua decisão e mensagens suas que não ' +
      'puderam ser entregues.',
  },
  noneUnread: { title: 'Você leu tudo', text: 'O que for novo aparecerá aqui.' },
};
