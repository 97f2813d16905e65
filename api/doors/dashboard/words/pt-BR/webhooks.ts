import type { Worded } from '../../../../core/text/catalogue';
import type { webhooks as en } from '../en/webhooks';

export const webhooks: Worded<typeof en> = {
  title: 'Webhooks',
  one: 'Webhook',
  new: 'Novo webhook',
  about:
    'Seus próprios programas ficam sabendo do que acontece aqui: assinado, e cada coisa pelo menos uma vez. {reference} ' +
    'descreve cada evento.',
  reference: 'A referência da API',
  empty: {
    title: 'Nenhum webhook ainda',
    text: 'Crie um com o endereço do seu endpoint e os eventos que ele quer. Um evento de teste mostra na hora se funciona.',
  },
  allEvents: 'todos os eventos',
  kinds: (count) => `${count} tipos de eventos`,
  failing: '· nenhuma entrega chegou desde',
  states: { disabled: 'desativado', inactive: 'inativo', active: 'ativo', failing: 'com falhas' },
  fields: {
    url: { label: 'Endereço', hint: 'Para onde os eventos são enviados: https, em um endereço público.' },
    description: { label: 'Descrição', hint: 'Para que serve, por exemplo “Estoque”.' },
    events: { label: 'Eventos' },
    scopes: {
      label: 'O que as respostas podem fazer',
      hint: 'Uma resposta pode trazer ações, como etiquetar uma conversa. Deixe vazio se a sua não traz.',
    },
  },
  everything: { label: 'Todos os eventos', detail: 'Também os que forem adicionados depois.' },
  change: 'Alterar a assinatura',
  subscription: 'A assinatura',
  made: 'A assinatura foi criada',
  saved: 'A assinatura foi salva.',
  secret: {
    button: 'Novo segredo',
    ask: {
      title: 'Criar um novo segredo?',
      text: 'O antigo assina junto com ele por 24 horas. Dê o novo ao seu endpoint antes disso.',
      button: 'Criar um novo segredo',
    },
    made: 'O novo segredo',
    copy:
      'Copie o segredo agora: ele é mostrado só desta vez. Seu endpoint precisa dele para verificar que um evento vem ' +
      'daqui.',
    label: 'Segredo de assinatura',
    copied: 'Já copiei',
  },
  activate: {
    button: 'Ativar',
    done: 'Ela está ativa de novo. O que aconteceu nesse meio-tempo pode ser repetido abaixo.',
  },
  deactivate: {
    button: 'Desativar',
    ask: {
      title: 'Desativar esta assinatura?',
      text: 'O que espera o envio é cancelado, e nada é enviado até que ela seja ativada de novo.',
      button: 'Desativar',
    },
    done: 'Ela não está mais ativa.',
  },
  delete: {
    button: 'Excluir',
    ask: {
      title: 'Excluir esta assinatura?',
      text: 'Nada mais é enviado a ela, e o log dela também se vai. Isso não pode ser desfeito.',
      button: 'Excluir',
    },
    done: 'A assinatura foi excluída.',
  },
  facts: {
    address: 'Endereço',
    state: 'Estado',
    events: 'Eventos',
    answers: 'As respostas podem',
    made: 'Criada',
    all: 'Todos',
    nothing: 'não fazer nada',
  },
  test: {
    button: 'Enviar um evento de teste',
    done: 'O evento de teste está a caminho. O log mostra no que dá.',
  },
  notes: {
    disabled: 'Desativada {at}.',
    mend: 'Conserte o endpoint, teste-o com um evento de teste, ative a assinatura e repita o que ele perdeu.',
    inactive: 'Ela não está ativa: nada é enviado. O que acontecer nesse meio-tempo pode ser repetido depois.',
    failing: 'Nenhuma entrega chegou desde {at}.',
    tries: 'Cada evento é tentado de novo por cerca de três dias. O log diz o que o endpoint responde.',
  },
  log: {
    title: 'Entregas',
    label: 'Log',
    filters: {
      status: 'Estado',
      event: 'Evento',
      anyState: 'Qualquer estado',
      anyEvent: 'Qualquer evento',
      filter: 'Filtrar',
    },
    none: 'Nenhuma corresponde.',
    all: 'Mostrar todas',
    empty: 'Nada foi enviado ainda. Envie um evento de teste para ver se o endpoint funciona.',
    columns: { when: 'Quando', event: 'Evento', state: 'Estado', answer: 'Resposta' },
    id: 'ID',
    attempts: (count) => (count === 1 ? 'uma tentativa' : `${count} tentativas`),
    next: '· próxima',
    noAnswer: '–',
    actions: 'As ações dela',
    again: 'Enviar de novo',
    ofType: (type, at) => ` ${type} de ${at}`,
    sentAgain: 'O evento sai de novo, com o mesmo ID.',
  },
  replay: {
    title: 'Repetir',
    about:
      'Envia de novo tudo o que aconteceu em um período, com os mesmos IDs, para que um endpoint saiba o que já viu.',
    activateFirst:
      'Ative a assinatura primeiro. Depois, tudo o que aconteceu desde que ela foi criada pode ser enviado de novo.',
    fields: { from: { label: 'De' }, to: { label: 'Até', hint: 'Vazio: até agora.' } },
    zone: (zone) => `Em ${zone}.`,
    noMoment: 'Informe uma data e uma hora.',
    noEnd: 'Informe uma data e uma hora, ou deixe vazio para agora.',
    done: (count) =>
      count === 0
        ? 'Nada do que ela pede aconteceu nesse período.'
        : count === 1
          ? 'Um evento sai de novo.'
          : `${count} eventos saem de novo.`,
  },
};
