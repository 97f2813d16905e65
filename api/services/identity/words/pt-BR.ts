import type { Worded } from '../../../core/text/catalogue';
import type { en } from './en';

export const ptBr: Worded<typeof en> = {
  actions: {
    'signIn.newPlace': 'Uma entrada a partir de uma rede e um navegador novos',
    'signIn.codesGuessed': 'Cinco códigos errados após a senha certa',
    'signIn.passwordVoid': 'Cinquenta códigos errados em um dia: a senha não vale mais',
    'password.change': 'A senha foi alterada',
    'password.chosenByLink': 'Uma senha foi escolhida por um link',
    'factors.addTotp': 'Um app autenticador foi adicionado',
    'factors.addPasskey': 'Uma chave de acesso foi adicionada',
    'factors.remove': 'Um segundo fator foi removido',
    'factors.renewCodes': 'Novos códigos de recuperação foram criados',
    'apiKeys.create': 'Uma chave de API foi criada',
    'connectedAgents.connect': 'Um agente foi conectado',
    'connectedAgents.newNetwork': 'Um agente chamou a partir de uma rede nova',
    'oauthClients.create': 'Um aplicativo foi registrado',
    'webhooks.create': 'Um webhook foi criado',
    'webhooks.opened': 'Um webhook foi movido, ativado ou ampliado',
    'webhooks.rotateSecret': 'O segredo de um webhook foi renovado',
    'rules.opened': 'Uma regra que envia foi ativada',
    'contacts.export': 'Contatos foram exportados',
    'reports.export': 'Conversas foram exportadas',
    'conversations.export': 'Uma conversa foi exportada',
    'auditLog.export': 'O log de auditoria foi exportado',
    'teamMembers.create': 'Um membro foi adicionado',
    'rescue.end': 'Um membro encerrou o que estava em mãos erradas',
    'sso.update': 'O login único foi alterado',
  },
  something: 'Aconteceu algo que diz respeito à segurança',
  titles: {
    rule: 'Uma regra precisa de você',
    security: 'Foi você?',
    assigned: 'Atribuída a você',
    message: 'Nova mensagem',
    unassigned: 'Nova mensagem que ninguém tem',
    mention: 'Mencionaram você',
    held: 'Uma mensagem não foi enviada',
  },
  attention: {
    owner_gone: 'o membro em cujo nome ela age saiu',
    missing_scope: 'o membro em cujo nome ela age não pode mais fazer isto',
    reference_gone: 'algo que ela cita não existe mais',
    unusual_volume: 'ela agiria sobre mais de 500 conversas em uma hora',
    failing: 'ela falhou cinco vezes seguidas',
    late: 'o que ela teria enviado estava atrasado demais',
  },
  look: 'ela pede uma olhada',
  and: (what, others) => `${what} e mais ${others}`,
  from: (what, address) => `${what}, de ${address}`,
  mails: {
    factorsLost: {
      subject: 'Seus segundos fatores do Msgdesk foram removidos',
      text: 'Um proprietário do seu espaço de trabalho, ou o operador, removeu seus segundos fatores.',
    },
    factorAdded: {
      subject: 'Um segundo fator do Msgdesk foi configurado',
      text:
        'A partir de agora cada uma das suas entradas pede por ele. Seus códigos de recuperação foram mostrados a quem o ' +
        'configurou.',
    },
    notAsked: (text, url) =>
      `${text} Em ${url}. Se você não pediu isso, avise um proprietário do seu espaço de trabalho.`,
    bell: {
      subject: 'Foi você? Novidades na sua conta do Msgdesk',
      happened: (url) => `Isto aconteceu no Msgdesk em ${url}:`,
      end: (address) => `Se não foi você, nem sua equipe: ${address} encerra isso com um clique.`,
    },
    link: {
      subject: 'Escolha sua senha do Msgdesk',
      hello: (name) => `Olá, ${name},`,
      choose: (url) => `com este link você escolhe uma senha para o Msgdesk em ${url}:`,
      once:
        'Ele funciona uma vez, dentro de uma hora depois de pedido. Se você não o esperava, avise um proprietário do seu ' +
        'espaço de trabalho.',
    },
  },
};
