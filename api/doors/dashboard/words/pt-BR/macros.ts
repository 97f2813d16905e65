import type { Worded } from '../../../../core/text/catalogue';
import type { macros as en } from '../en/macros';

export const macros: Worded<typeof en> = {
  title: 'Macros',
  new: 'Nova macro',
  the: 'A macro',
  empty: {
    title: 'Nenhuma macro ainda',
    text: 'Uma macro faz várias coisas de uma vez: responde, põe etiquetas e conclui, com um clique em uma conversa.',
    first: 'Criar a primeira',
  },
  more: (count) => ` · e mais ${count}`,
  saved: 'A macro foi salva.',
  deleted: 'A macro foi excluída.',
  delete: {
    title: 'Excluir esta macro?',
    named: (name) => `Excluir “${name}”?`,
    text: 'Ela não pode ser recuperada.',
  },
  name: 'Nome',
  description: 'Descrição',
  steps: {
    title: 'Etapas',
    none: 'Nenhuma ainda. Todas as etapas são feitas, ou nenhuma; depois é enviado o que houver para enviar.',
    named: (number, label) => `Etapa ${number}: ${label}`,
    numbered: (number, label) => `${number}. ${label}`,
    of: (number) => ` a etapa ${number}`,
    up: 'Mover para cima',
    down: 'Mover para baixo',
    remove: 'Remover',
    add: 'Adicionar uma etapa',
    addThis: 'Adicionar',
    check: 'Verificar as etapas',
    fine: 'Todas as etapas estão certas. Ainda não foi salva.',
    does: 'O que ela faz',
    incomplete: (label) => `${label}: ainda incompleta`,
  },
  runs: {
    title: 'Últimas execuções',
    onTicket: (id) => `no ticket ${id}`,
    inConversation: (id) => `na conversa ${id}`,
    by: (target, name) => `${target} por ${name}`,
    failed: (step, message) => `Etapa ${step}: ${message}`,
    states: { pending: 'pendente', applied: 'aplicada', failed: 'com falha', abandoned: 'abandonada' },
    temporal: 'No Temporal',
    run: (id) => `: execução ${id}`,
  },
};
