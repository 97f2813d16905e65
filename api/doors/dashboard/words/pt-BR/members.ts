import type { Worded } from '../../../../core/text/catalogue';
import type { members as en } from '../en/members';
import { plural } from '../plural';

export const members: Worded<typeof en> = {
  title: 'Membros',
  one: 'Membro',
  new: 'Novo membro',
  columns: { name: 'Nome', role: 'Função', inboxes: 'Caixas da equipe', since: 'Desde' },
  you: 'você',
  inactive: 'inativo',
  none: '–',
  fields: {
    email: 'E-mail',
    name: 'Nome',
    role: 'Função',
    usual: 'Marcar o que é comum para',
    copy: 'Copiar as permissões de',
    permissions: 'Permissões',
    is_active: 'Ativo: pode entrar',
    revoke_api_keys: 'Revogar agora as chaves de API',
    disconnect_agents: 'Desconectar os agentes que conectou',
  },
  roles: {
    owner: 'Proprietário: tudo',
    admin: 'Administrador: tudo menos a cobrança, a menos que marcada abaixo',
    agent: 'Agente: as permissões abaixo',
  },
  choose: 'Escolha…',
  chooseMember: 'Escolha um membro…',
  tickTheirs: 'Marcar as dele',
  permissionsHint: 'Proprietários têm todas; administradores, todas menos a cobrança, que um proprietário pode marcar.',
  linkHint: 'A senha é escolhida por um link, que é enviado por e-mail ou mostrado a você uma vez.',
  away: 'Quando você retira algo',
  add: 'Adicionar o membro',
  saved: 'O membro foi salvo.',
  link: {
    make: 'Criar um link para escolher uma senha',
    added: 'O membro foi adicionado',
    made: 'Um link para uma senha',
    give: 'Entregue este link: ele é mostrado só desta vez. Com ele se escolhe uma senha, uma única vez, até {until}.',
    mailed: 'Um link para escolher uma senha foi enviado por e-mail. Ele funciona uma vez, até {until}.',
    label: 'Link',
    done: 'Concluir',
  },
  sessions: {
    end: 'Encerrar as sessões',
    ask: { title: 'Encerrar as sessões?', text: 'O membro sai em todos os lugares.', button: 'Encerrar' },
    ended: 'As sessões foram encerradas.',
  },
  factors: {
    remove: 'Remover os segundos fatores',
    ask: { title: 'Remover os segundos fatores?', text: 'A sessão do membro é encerrada.', button: 'Remover' },
    askMore: 'A sessão do membro é encerrada, e só a senha basta para entrar até que configure um novo.',
    removed: 'Os segundos fatores foram removidos.',
  },
  stop: {
    webhooks: (count) =>
      `Parar ${plural(count, { one: 'webhook, que continuaria', other: 'webhooks, que continuariam' })} contando aos ` +
      'receptores o que acontece',
    broadcasts: (count) => `Desagendar ${plural(count, { one: 'transmissão', other: 'transmissões' })}`,
  },
  subjects: {
    conversations: 'Conversas',
    contacts: 'Contatos',
    tickets: 'Tickets',
    macros: 'Macros e transmissões',
    reading: 'Consultar',
    running: 'Administrar o espaço de trabalho',
  },
  usual: { reader: 'Alguém que só lê', agent: 'Um agente', lead: 'Um líder de equipe' },
};
