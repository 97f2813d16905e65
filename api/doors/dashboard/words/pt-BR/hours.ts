import type { Worded } from '../../../../core/text/catalogue';
import type { hours as en } from '../en/hours';
import { plural } from '../plural';

export const hours: Worded<typeof en> = {
  title: 'Horários',
  one: 'Calendário',
  new: 'Novo calendário',
  about: (zone) => `Os horários são do fuso do espaço de trabalho, ${zone}.`,
  empty: {
    title: 'Nenhum calendário ainda',
    text:
      'Um calendário diz quando sua equipe trabalha. Clientes que escrevem em outro horário podem receber uma resposta de ' +
      'ausência, e os níveis de serviço podem contar o tempo de trabalho.',
  },
  own: 'o do espaço de trabalho',
  for: (names) => `Para ${names}`,
  holidays: (count) => plural(count, { one: 'feriado', other: 'feriados' }),
  speaks: 'Os clientes recebem uma resposta de ausência',
  silent: 'Sem resposta de ausência',
  closed: 'fechado',
  days: {
    monday: 'Segunda-feira',
    tuesday: 'Terça-feira',
    wednesday: 'Quarta-feira',
    thursday: 'Quinta-feira',
    friday: 'Sexta-feira',
    saturday: 'Sábado',
    sunday: 'Domingo',
  },
  fields: {
    name: { label: 'Nome' },
    holidays: { label: 'Feriados', hint: 'Um por linha, por exemplo 2026-12-25 Natal.' },
    is_default: { label: 'O do espaço de trabalho: onde uma caixa da equipe não tem nenhum' },
    team_inbox_ids: {
      label: 'Caixas da equipe',
      hint: 'Cada uma tem um calendário: o que é marcado aqui é tirado de outro.',
    },
    away_text: {
      label: 'Texto',
      hint: 'Enviado fora deste horário, uma vez na janela de um cliente; {{name}} vira o nome dele.',
    },
    away_template_id: { label: 'Modelo', hint: 'Enviado onde não há texto, ou onde a janela se fechou.' },
  },
  week: {
    title: 'Horários de uma semana',
    hint: (zone) =>
      'Por exemplo 09:00-12:30, 13:30-18:00; uma noite são dois períodos, 22:00-24:00 e 00:00-06:00. No fuso horário do ' +
      `espaço de trabalho, ${zone}.`,
  },
  where: 'Onde se aplica',
  away: 'Resposta de ausência',
  noTemplate: 'Nenhum',
  notNow: (id) => `${id} (não pode ser enviado agora)`,
  made: 'O calendário foi criado.',
  saved: 'O calendário foi salvo. Os prazos que já correm ficam como estavam.',
  deleted: 'O calendário foi excluído.',
  delete: {
    title: 'Excluir este calendário?',
    named: (name) => `Excluir “${name}”?`,
    text: 'As caixas da equipe dele terão então os horários do espaço de trabalho. Isso não pode ser desfeito.',
    button: 'Excluir este calendário',
  },
};
