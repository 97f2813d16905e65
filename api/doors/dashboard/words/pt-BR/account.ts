import type { Worded } from '../../../../core/text/catalogue';
import type { account as en } from '../en/account';

export const account: Worded<typeof en> = {
  title: 'Sua conta',
  saved: 'Salvo.',
  writing: {
    title: 'Idioma e escrita',
    language: 'Idioma',
    browser: 'O que o navegador pede',
    undo: 'Esperar cinco segundos antes de enviar um texto, para que eu possa desfazer',
    next: 'Ir para a próxima conversa quando eu terminar uma',
    takes: 'Atribuir a mim uma conversa que não é de ninguém quando eu responder',
  },
  sessions: {
    title: 'Sessões',
    endOthers: 'Encerrar todas as outras',
    othersEnded: 'Todas as outras sessões foram encerradas.',
    unknown: 'Navegador desconhecido',
    since: 'desde {since} · último uso {used}',
    current: 'esta',
    end: 'Encerrar',
    endSince: (since) => ` a sessão desde ${since}`,
    ended: 'A sessão foi encerrada.',
  },
  factors: {
    title: 'Segundo fator',
    about: 'O que você apresenta ao entrar além da senha.',
    demanded: 'Seu espaço de trabalho exige um.',
    left: (count) => `restam ${count} · `,
    since: 'desde',
    used: '· último uso',
    remove: 'Remover',
    ask: { title: 'Remover este fator?', text: 'Ele não servirá mais para entrar.', button: 'Remover' },
    removed: 'O fator foi removido.',
    addAuthenticator: 'Adicionar um app autenticador',
    addPasskey: 'Adicionar uma chave de acesso',
    newCodes: 'Novos códigos de recuperação',
  },
  authenticator: {
    title: 'App autenticador',
    about: 'Escaneie isto com um app no seu celular. A partir daí, cada entrada pede o código que ele mostrar.',
    type: 'Ou digite isto no app: {secret}',
    fields: { code: 'O código que o app mostra', name: 'Nome' },
    add: 'Adicionar',
    added: 'O app autenticador foi adicionado.',
  },
  passkey: {
    title: 'Chave de acesso',
    about:
      'Seu dispositivo, ou uma chave que você conecta, mostra que é você. Nenhuma página que imite esta consegue usá-la.',
    impossible:
      'Navegadores criam chaves de acesso apenas para um endereço com nome por https. Pergunte a quem opera esta ' +
      'instalação ou use um app autenticador.',
    name: 'Nome',
    make: 'Criar uma chave de acesso',
    added: 'A chave de acesso foi adicionada.',
  },
  codes: {
    title: 'Seus códigos de recuperação',
    head: 'Códigos de recuperação',
    about:
      'Cada um substitui outro fator uma vez. Guarde-os onde você os encontre sem o celular: eles são mostrados só desta ' +
      'vez.',
    kept: 'Já guardei',
  },
  events: {
    title: 'O que aconteceu com ela',
    rescue: 'Não foi você?',
    none: 'Nada nos últimos 30 dias.',
    by: (name) => ` · por ${name}`,
    operator: 'o operador',
  },
  password: {
    title: 'Senha',
    about:
      'Uma nova senha encerra sua sessão em todos os lugares, aqui também. Na próxima entrada você vê o que mais continua ' +
      'ativo em seu nome e pode encerrar.',
    differ: 'As duas novas senhas são diferentes.',
    fields: {
      current_password: 'Senha atual',
      new_password: 'Nova senha',
      again: 'Repetir a nova senha',
      revoke_api_keys: 'Revogar também minhas chaves de API',
      stop_webhooks: 'Parar os webhooks criados com chaves revogadas',
      stop_broadcasts: 'Desagendar as transmissões criadas com chaves revogadas',
      disconnect_agents: 'Desconectar também os agentes que conectei',
    },
    change: 'Alterar a senha',
  },
};
