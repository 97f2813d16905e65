import type { Worded } from '../../../../core/text/catalogue';
import type { rescue as en } from '../en/rescue';
import { plural } from '../plural';

const calls = { one: 'chamada', other: 'chamadas' };

export const rescue: Worded<typeof en> = {
  title: 'Não foi você?',
  about:
    'Aqui está tudo o que continua ativo em seu nome: suas outras sessões e o que foi criado em seu nome. O que está ' +
    'marcado termina na hora, e também o que for criado antes de você apertar o botão. Depois, escolha uma nova senha.',
  madeIn: 'Criado em',
  days: (days) => (days === 1 ? 'Último dia' : `Últimos ${days} dias`),
  nothing: 'Nada continua além desta sessão.',
  ends: 'O que termina',
  end: 'Encerrar o que está marcado',
  ended: (count) =>
    `${plural(count, { one: 'item encerrado', other: 'itens encerrados' })}. Escolha também uma nova senha.`,
  kinds: {
    session: 'Sessão',
    browser: 'Navegador que recebe push',
    link: 'Link para uma senha',
    api_key: 'Chave de API',
    agent: 'Agente',
    oauth_client: 'Aplicativo',
    webhook: 'Webhook',
    broadcast: 'Transmissão agendada',
    message: 'Mensagem para depois',
    rule: 'Regra',
  },
  used: {
    session: (uses) => plural(uses, { one: 'ação', other: 'ações' }),
    browser: () => '',
    link: () => '',
    api_key: (uses) => plural(uses, calls),
    agent: (uses) => plural(uses, calls),
    oauth_client: (uses) => plural(uses, { one: 'conexão', other: 'conexões' }),
    webhook: (uses) => plural(uses, { one: 'evento entregue', other: 'eventos entregues' }),
    broadcast: () => '',
    message: () => '',
    rule: (uses) => plural(uses, { one: 'execução', other: 'execuções' }),
  },
  unnamed: 'sem nome',
  since: (moment) => `desde ${moment}`,
  lastUsed: (moment) => `último uso ${moment}`,
  from: (places) => `de ${places}`,
};
