import type { Worded } from '../../../../core/text/catalogue';
import type { customFields as en } from '../en/customFields';

export const customFields: Worded<typeof en> = {
  title: 'Campos personalizados',
  one: 'Campo personalizado',
  new: 'Novo campo',
  newTitle: 'Novo campo personalizado',
  empty: {
    title: 'Nenhum campo personalizado ainda',
    text: 'Guarde o que sua equipe precisa saber sobre um contato ou um ticket, por exemplo o plano ou o número do pedido.',
  },
  made: 'O campo foi criado.',
  saved: 'O campo foi salvo.',
  deleted: 'O campo foi excluído com seus valores.',
  delete: {
    title: 'Excluir este campo?',
    named: (name) => `Excluir “${name}”?`,
    text: 'Todos os valores dele são excluídos junto. Isso não pode ser desfeito.',
    button: 'Excluir este campo',
  },
  fields: {
    label: { label: 'Rótulo', hint: 'O que os membros veem.' },
    name: {
      label: 'Chave',
      hint: 'Como a API e as importações o chamam: letras minúsculas, dígitos e sublinhados. Não pode ser alterada depois.',
    },
    field_type: { label: 'Tipo' },
    options: { label: 'Opções', hint: 'Uma por linha; só para os dois tipos com opções.' },
    applies_to: { label: 'Mostrado com' },
  },
  typeFixed: 'Não pode ser alterado depois que existe um valor.',
  types: {
    text: 'Texto',
    number: 'Número',
    boolean: 'Sim ou não',
    date: 'Data',
    select: 'Uma de várias opções',
    multi_select: 'Qualquer quantidade de várias opções',
  },
  cell: 'Nome',
  subjects: { contacts: 'Contatos', conversations: 'Conversas', tickets: 'Tickets' },
  more: (count) => ` e mais ${count}`,
};
