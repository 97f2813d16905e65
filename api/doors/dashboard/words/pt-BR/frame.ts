import type { Worded } from '../../../../core/text/catalogue';
import type { frame as en } from '../en/frame';

export const frame: Worded<typeof en> = {
  skip: 'Ir para o conteúdo',
  main: 'Principal',
  bar: 'Lugares',
  more: 'Mais',
  places: {
    inbox: 'Caixa de entrada',
    tickets: 'Tickets',
    contacts: 'Contatos',
    broadcasts: 'Transmissões',
    approvals: 'Aprovações',
    concerns: 'Para mim',
    pipelines: 'Pipelines',
    macros: 'Macros',
    rules: 'Regras',
    replies: 'Respostas prontas',
    reports: 'Relatórios',
    flows: 'Flows',
    settings: 'Configurações',
  },
  waiting: 'em espera',
  account: 'Sua conta:',
  away: 'ausente',
  goAway: 'Estou ausente',
  goAwayAbout: 'Nenhuma caixa da equipe dá conversas a você até que volte',
  comeBack: 'Voltei',
  reference: 'Referência da API',
  connect: 'Como conectar um agente',
  signOut: 'Sair',
  trial: {
    text:
      'O teste deste espaço de trabalho expirou. Você pode ler tudo e não alterar nada, e as chaves de API são recusadas, até ' +
      'que um plano seja escolhido.',
    choose: 'Escolher um plano',
    ask: 'Um proprietário pode escolher um.',
  },
  unpaid:
    'A plataforma não entrega o que precisa ser pago: o pagamento foi recusado. As transmissões esperam, e respostas que ' +
    'custam algo se perdem. Resolva na plataforma; depois, uma sincronização do operador deixa tudo sair.',
  offline: 'A conexão se perdeu. O que você vê pode estar desatualizado; isso se atualiza sozinho.',
  undo: 'Desfazer',
  confirm: { title: 'Tem certeza?', go: 'Continuar' },
  keys: {
    title: 'Atalhos de teclado',
    search: 'Buscar em tudo',
    list: 'Esta lista',
    undo: 'Desfazer o que acabou de ser feito',
    escape: 'Fechar um menu, sair de um campo',
    close: 'Fechar',
  },
};
