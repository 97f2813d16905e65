import type { Worded } from '../../../../core/text/catalogue';
import type { composer as en } from '../en/inboxComposer';

export const composer: Worded<typeof en> = {
  what: 'O que enviar',
  means: 'Com o quê',
  modes: { text: 'Resposta', note: 'Nota', template: 'Modelo', choices: 'Botões e listas' },
  send: { text: 'Enviar', note: 'Enviar', template: 'Enviar modelo', choices: 'Enviar' },
  hint: 'Enviar (Ctrl+Enter)',
  sendAndDone: { label: 'Enviar e concluir', keys: 'Ctrl Shift Enter' },
  canned: 'Respostas prontas',
  expired: 'O período de teste expirou: nada pode ser enviado até que um plano seja escolhido.',
  readOnly: 'Você pode ler esta conversa. Para responder, precisa da permissão chat.send_message.',
  answering: (text) => `Respondendo a: ${text}`,
  doNotAnswer: 'Não responder a esta mensagem',
  from: 'De',
  reply: { label: 'Resposta', placeholder: 'Responder…', closed: 'A janela está fechada. Escolha um modelo.' },
  note: {
    label: 'Nota',
    placeholder: 'Só a equipe vê isto. @nome avisa um membro.',
    hint: 'Adicionar a nota (Ctrl+Enter)',
    button: 'Adicionar nota',
  },
  files: {
    label: 'Arquivos a enviar',
    attach: 'Anexar arquivos',
    how: 'Anexe arquivos, solte-os aqui ou cole-os',
    drop: 'Solte arquivos para anexá-los',
    one: (megabytes) => `Um arquivo a enviar, de até ${megabytes} MB`,
  },
  choices: {
    body: 'Pergunta',
    lines: 'Respostas em que o cliente toca, uma por linha',
    hint: (buttons) =>
      `Até ${buttons} são botões de até 20 caracteres; se forem mais, até 10, uma lista. Em uma lista, o que vem ` +
      'depois de | explica uma resposta.',
    button: 'O que abre a lista',
    open: 'Escolher',
  },
  template: {
    label: 'Modelo',
    choose: 'Escolha um modelo…',
    button: 'Escolher',
    preview: 'Prévia',
    none: 'Não há modelo aprovado. Os modelos são criados no gerenciador da plataforma e aparecem aqui quando são aprovados.',
    header: (name) => `Cabeçalho {{${name}}}`,
    media: (kind) => `Endereço do arquivo (${kind})`,
    buttonUrl: (number) => `Final do endereço do botão ${number}`,
    buttonCode: (number) => `Código do botão ${number}`,
  },
  answered: {
    ask: 'Enviar mesmo assim?',
    anyway: 'Enviar mesmo assim',
    answered: (author, when, text) => `${author} respondeu ${when}: “${text}”`,
    justNow: 'agora há pouco',
    ago: (time) => `há ${time}`,
  },
};
