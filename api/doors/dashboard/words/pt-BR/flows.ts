import type { Worded } from '../../../../core/text/catalogue';
import type { flows as en } from '../en/flows';
import { numberText } from '../numbers';

export const flows: Worded<typeof en> = {
  title: 'Flows',
  search: 'Buscar',
  empty: {
    title: 'Nenhum Flow',
    text: 'Os Flows são criados na plataforma de mensagens. Eles aparecem aqui após a próxima sincronização.',
    fits: 'Nenhum corresponde. ',
    all: 'Mostrar todos',
  },
  alert: 'alerta',
  preview: 'Prévia',
  errors: (count) =>
    count === 1
      ? 'A plataforma encontra um erro na definição; ele é corrigido lá.'
      : `A plataforma encontra ${count} erros na definição; eles são corrigidos lá.`,
  facts: { id: 'ID', changed: 'Alterado', synced: 'Lido da plataforma', endpoint: 'Endpoint' },
  endpoint: {
    title: 'Endpoint, os últimos sete dias',
    table: 'Números do endpoint',
    figure: 'Indicador',
    none: 'Nenhum número ainda.',
    unknown: 'A plataforma não informa números no momento.',
    metrics: {
      endpoint_request_count: 'Solicitações',
      endpoint_request_error: 'Erros',
      endpoint_request_error_rate: 'Taxa de erros',
      endpoint_request_latency_seconds_ceil: 'Latência, segundos',
      endpoint_availability: 'Disponibilidade',
    },
    nothing: '–',
    share: (percent) => `${numberText(percent)} %`,
  },
  submissions: {
    title: 'Respostas recebidas',
    none: 'Nenhum cliente o enviou ainda.',
    customer: 'Cliente',
    name: 'Nome',
    answers: 'Respostas',
    when: 'Quando',
  },
};
