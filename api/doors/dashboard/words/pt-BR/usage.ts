import type { Worded } from '../../../../core/text/catalogue';
import type { usage as en } from '../en/usage';
import { plural } from '../plural';

export const usage: Worded<typeof en> = {
  title: 'Custos',
  about:
    'Mensagens que chegaram, e aquelas pelas quais a plataforma diz que cobra. O custo é calculado pelas tarifas abaixo; a ' +
    'fatura da plataforma tem a última palavra.',
  fields: { from: 'De', to: 'Até', group_by: 'Somas' },
  groups: {
    day: 'Dia',
    number: 'Número de telefone',
    category: 'Categoria',
    broadcast: 'Transmissão',
    member: 'Membro',
    country: 'País',
  },
  by: {
    day: 'Por dia',
    number: 'Por número de telefone',
    category: 'Por categoria',
    broadcast: 'Por transmissão',
    member: 'Por membro',
    country: 'Por país',
  },
  show: 'Mostrar',
  empty: { title: 'Nenhuma mensagem', text: 'Nenhuma chegou nestes dias.' },
  columns: { arrived: 'Chegaram', charged: 'Cobradas', cost: 'Custo' },
  all: 'Todas',
  none: 'Nenhuma',
  noRate: 'sem tarifa',
  broadcast: (id) => `Transmissão ${id}`,
  rates: {
    title: 'Tarifas',
    empty: 'Ainda não há nenhuma. Pegue-as na tabela de preços da plataforma.',
    others: 'Todos os outros países',
    from: (amount, from) => `${amount}, a partir de ${from}`,
    fields: {
      csv: {
        label: 'Tarifas como CSV',
        hint: 'Colunas: country (duas letras, ou * para todos os outros), category, rate, currency.',
      },
      valid_from: { label: 'Válidas a partir de' },
      replace: { label: 'Substituir todas as tarifas anteriores' },
    },
    store: 'Salvar as tarifas',
    stored: (count) => `${plural(count, { one: 'tarifa salva', other: 'tarifas salvas' })}.`,
  },
};
