import type { Worded } from '../../../../core/text/catalogue';
import type { reports as en } from '../en/reports';
import { numberText } from '../numbers';
import { plural } from '../plural';

export const reports: Worded<typeof en> = {
  title: 'Relatórios',
  about:
    'Conversas que começaram nestes dias, da mensagem de um cliente até serem concluídas. Elas são contadas uma vez por ' +
    'minuto.',
  export: 'Exportar como CSV',
  from: 'De',
  to: 'Até',
  sums: 'Somas',
  show: 'Mostrar',
  groups: {
    day: 'Dia',
    hour: 'Hora',
    member: 'Membro',
    inbox: 'Caixa da equipe',
    tag: 'Etiqueta',
    broadcast: 'Transmissão',
  },
  by: (group) => `Por ${group.toLowerCase()}`,
  numbered: (group, key) => `${group} ${key}`,
  none: 'Nenhum',
  of: (group, name) => `${group}: ${name}`,
  figures: {
    started: 'Começaram',
    answered: 'Respondidas',
    firstAnswer: 'Primeira resposta após',
    resolved: 'Concluídas',
    resolution: 'Concluídas após',
    rated: 'Avaliadas',
    satisfied: 'Satisfeitos',
    open: 'Abertas no final',
  },
  nothing: '–',
  share: (percent) => `${numberText(percent)} %`,
  bars: (highest) => `Conversas que começaram, no máximo ${highest}`,
  bar: (name, count) => `${name}: ${plural(count, { one: 'conversa', other: 'conversas' })}`,
  change: {
    about: (span) => `Em comparação com ${span}, o mesmo número de dias antes.`,
    before: (value) => `Antes: ${value}`,
    same: 'sem mudança',
    better: (by) => `${by}, melhor`,
    worse: (by) => `${by}, pior`,
    points: (count) => plural(count, { one: 'ponto', other: 'pontos' }),
  },
  list: {
    titles: {
      started: 'Conversas que começaram',
      answered: 'Conversas respondidas',
      resolved: 'Conversas concluídas',
      rated: 'Conversas avaliadas',
      satisfied: 'Conversas de clientes satisfeitos',
      open: 'Conversas abertas no final',
    },
    behind: 'Desde a contagem, conversas mudaram: o relatório acompanha em até um minuto.',
    count: (count) => plural(count, { one: 'conversa', other: 'conversas' }),
    customer: 'Cliente',
    outcome: 'Resultado',
    outcomes: { goesOn: 'Não terminada', merged: 'Mesclada', erased: 'Contato apagado' },
  },
  empty: { title: 'Nenhuma conversa', text: 'Não há nenhuma nestes dias.' },
};
