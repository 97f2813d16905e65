import type { Worded } from '../../../../core/text/catalogue';
import type { numbers as en } from '../en/numbers';

export const numbers: Worded<typeof en> = {
  title: 'Números',
  about: 'Os números para os quais os clientes escrevem, como a plataforma de mensagens os tem. Eles são alterados lá.',
  empty: {
    title: 'Nenhum número está conectado',
    text: 'Quem opera esta instalação conecta a conta que tem seus números, na linha de comando:',
  },
  account: (id) => `Conta ${id}`,
  synced: 'sincronizada',
  notSynced: 'ainda não sincronizada',
  none: 'Ela não tem números.',
  numbersOf: (name) => `Números de ${name}`,
  columns: { number: 'Número', status: 'Status', quality: 'Qualidade', limit: 'Limite' },
  noName: 'Ainda sem nome',
  unpaid: 'A plataforma não entrega nada que precise ser pago: o pagamento foi recusado.',
  stopped: {
    account: (reason, code) => `A plataforma recusa a conta: ${reason} (${code}).`,
    number: (reason, code) => `A plataforma recusa o número: ${reason} (${code}).`,
  },
  held: 'O envio está retido por quem opera esta instalação.',
  heldBecause: (reason) => `Retido pelo operador: ${reason}`,
  states: { held: 'retido', stopped: 'parado', unknown: 'desconhecido' },
  qualities: { GREEN: 'alta', YELLOW: 'média', RED: 'baixa' },
  notRated: 'sem avaliação',
  limit: (people) => `${people} pessoas por dia`,
  noLimit: 'Sem limite',
  limitUnknown: 'Não se sabe',
};
