import type { Worded } from '../../../../core/text/catalogue';
import type { approvals as en } from '../en/approvals';
import { plural } from '../plural';

export const approvals: Worded<typeof en> = {
  title: 'Aprovações',
  one: 'Aprovação',
  which: 'Quais aprovações',
  tabs: { pending: 'Em espera', approved: 'Aprovadas', rejected: 'Rejeitadas', expired: 'Expiradas', all: 'Todas' },
  waiting: {
    title: 'Nada espera por você',
    text: 'Quando um agente não pode enviar sozinho, as mensagens dele esperam aqui até que um membro as aprove. {guide}',
    guide: 'Como conectar um agente',
  },
  none: { title: 'Nenhuma', text: 'Não há aqui nenhuma chamada de um agente.' },
  approve: 'Aprovar',
  approved: 'Aprovado.',
  reject: 'Rejeitar',
  rejectBecause: 'Rejeitar com um motivo',
  rejected: 'Rejeitado. Nada foi enviado.',
  edit: 'Editar e enviar',
  answered: 'Enviado em seu nome. O que o agente escreveu foi rejeitado.',
  what: (title) => `: ${title}`,
  to: 'Para',
  before: 'As últimas mensagens',
  you: 'Você',
  for: (agent, member) => `${agent}, para ${member}`,
  asked: '· solicitado',
  decided: (status, member) => `${status} por ${member}`,
  replaced: (member) => `respondido com outro texto por ${member}`,
  because: 'Motivo:',
  exact: 'A chamada exata',
  timer: 'O temporizador no Temporal',
  others: (scopes) => `Decidem sobre isto membros com estas permissões: ${scopes}.`,
  draft: 'rascunho',
  waits: (time) => `espera mais ${time}`,
  words: {
    label: 'Responder ou rejeitar por conta própria',
    text: {
      label: 'Seu texto no lugar',
      hint: 'Ele é enviado em seu nome, e o que o agente escreveu é rejeitado.',
    },
    send: 'Enviar este texto',
    note: {
      label: 'Motivo',
      hint: 'É guardado com a decisão, e os assinantes de approval.decided são avisados.',
    },
  },
  calls: {
    macro: (name) => `Executar a macro “${name}”`,
    macroOnTicket: (name, ticket) => `Executar a macro “${name}” no ticket ${ticket}`,
    ticket: (id) => `Alterar o ticket ${id}`,
    move: (stage) => `Mover para ${stage}`,
    change: (field, value) => `${field}: ${value}`,
    message: 'Enviar uma mensagem',
    template: 'Enviar um modelo',
    at: (what, moment) => `${what} ${moment}`,
    reaching: (text, reach) => `${text}. ${reach}`,
    reachesOne: (name) => `Alcança uma pessoa: ${name}.`,
    reaches: (total, names, more) =>
      `Alcança ${plural(total, { one: 'pessoa', other: 'pessoas' })}: ${names}` +
      `${more > 0 ? ` e mais ${more}` : ''}.${total > 1 ? ' A primeira lê:' : ''}`,
  },
};
