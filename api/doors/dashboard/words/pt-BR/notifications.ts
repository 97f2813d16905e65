import type { Worded } from '../../../../core/text/catalogue';
import type { notifications as en } from '../en/notifications';

export const notifications: Worded<typeof en> = {
  title: 'Notificações',
  kinds: {
    notify_assigned: 'Uma conversa é atribuída a mim',
    notify_message: 'Um cliente escreve em uma conversa minha',
    notify_unassigned: 'Um cliente começa a esperar em uma conversa que ninguém tem',
    notify_mention: 'Sou mencionado em uma nota ou um comentário',
    notify_held: 'Uma mensagem minha para depois é retida',
  },
  levels: { off: 'Não', page: 'Em páginas abertas', push: 'Em páginas abertas e por push' },
  fields: {
    notify_sound: { label: 'Com som' },
    quiet_from: { label: 'Silêncio de', hint: 'Nada toca nem chega por push nestas horas.' },
    quiet_until: { label: 'Silêncio até' },
  },
  save: 'Salvar as notificações',
  browsers: {
    title: 'Notificações de navegadores',
    unknown: 'Navegador desconhecido',
    since: 'recebe push desde {since}, até a sessão terminar',
    remove: 'Remover',
    removed: 'Esse navegador não recebe mais nada.',
    about: 'Este navegador mostra notificações próprias quando você as ativa nele.',
    noPush: 'Elas chegam enquanto uma página está aberta: esta instalação não tem web push.',
    on: 'Ativar neste navegador',
    off: 'Desativar neste navegador',
  },
};
