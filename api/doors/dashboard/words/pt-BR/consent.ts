import type { Worded } from '../../../../core/text/catalogue';
import type { consent as en } from '../en/consent';

export const consent: Worded<typeof en> = {
  title: (client) => `Conectar ${client}`,
  heading: (client) => `Conectar ${client}?`,
  asks: 'Ele pede para agir por você em {workspace}.',
  signedIn: 'Conectado como',
  notYou: 'Não é você?',
  describes: 'Ele se descreve em',
  back: 'Você será levado de volta a',
  ownDevice: {
    lead: 'Este programa roda no seu próprio dispositivo.',
    text: 'Continue apenas se você acabou de iniciá-lo para conectá-lo.',
  },
  nothing:
    'Você não tem nenhuma das permissões que ele pede, por isso não pode conectá-lo. Fale com um administrador do seu ' +
    'espaço de trabalho.',
  may: 'O que ele pode fazer',
  lacks: ' · você mesmo não tem esta permissão',
  approved:
    'Cada mensagem que ele escreve precisa ser aprovada pela sua equipe, a menos que um administrador permita que ele ' +
    'envie sozinho.',
  never:
    'Ele nunca pode fazer mais do que você. Você pode desconectá-lo a qualquer momento no painel, em Configurações → ' +
    'Agentes.',
  cancel: 'Cancelar',
  allow: 'Permitir',
  problem: {
    title: 'A conexão não foi feita',
    other: 'Usar outra conta',
    close: 'Você pode fechar esta janela e voltar ao aplicativo.',
  },
};
