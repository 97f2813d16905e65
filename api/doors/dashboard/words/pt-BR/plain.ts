import type { Worded } from '../../../../core/text/catalogue';
import type { plain as en } from '../en/plain';

export const plain: Worded<typeof en> = {
  goBack: 'Voltar',
  problems: {
    403: 'Você não pode fazer isto',
    404: 'Página não encontrada',
    405: 'Isto não pode ser feito aqui',
    429: 'Solicitações demais',
    503: 'Indisponível no momento',
    refused: 'Isto não funcionou',
    fault: 'Algo deu errado',
  },
  noPage: 'Essa página não existe.',
  fault: (requestId) => `Algo deu errado do nosso lado. ID da solicitação: ${requestId}`,
  lacks: (what) =>
    `Suas permissões não permitem isto. É preciso “${what}”, que um administrador do espaço de trabalho pode dar a você.`,
  welcome: {
    title: 'Boas-vindas',
    to: (workspace) => `Boas-vindas a ${workspace}`,
    text:
      'Não há nada aqui que suas permissões deixem você ver. Peça algumas a um administrador do espaço de trabalho e ' +
      'recarregue esta página.',
  },
  otherOrigin: (origin, home) =>
    `Isto foi enviado de ${origin}, mas esta instalação fica em ${home}. Abra-a lá; se esse não for o endereço, ` +
    'BASE_URL precisa ter o que as pessoas usam.',
};
