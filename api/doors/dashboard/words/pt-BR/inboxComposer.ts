import type { Worded } from '../../../../core/text/catalogue';
import type { composer as en } from '../en/inboxComposer';

export const composer: Worded<typeof en> = {
  what: 'O que enviar',
  modes: { text: 'Resposta', template: 'Modelo', attachment: 'Arquivo', note: 'Nota' },
  send: { text: 'Enviar', template: 'Enviar modelo', attachment: 'Enviar arquivo', note: 'Enviar' },
  sends: 'envia',
  sendAndDone: { label: 'Enviar e concluir', hint: 'Enviar e concluir (Ctrl+Shift+Enter)' },
  expired: 'O período de teste expirou: nada pode ser enviado até que um plano seja escolhido.',
  readOnly: 'Você pode ler esta conversa. Para responder, precisa da permissão chat.send_message.',
  answering: (text) => `Respondendo a: ${text}`,
  doNotAnswer: 'Não responder a esta mensagem',
  from: 'De',
  reply: { label: 'Resposta', placeholder: 'Responder…', closed: 'A janela está fechada. Escolha um modelo.' },
  note: {
    label: 'Nota',
    placeholder: 'Só a equipe vê isto. @nome avisa um membro.',
    saves: 'salva',
    button: 'Adicionar nota',
  },
  files: {
    label: 'Arquivos a enviar',
    attach: 'Anexar arquivos',
    how: 'Anexe arquivos, solte-os aqui ou cole-os',
  },
  file: {
    kind: 'Tipo',
    kinds: { image: 'Imagem', document: 'Documento', video: 'Vídeo', audio: 'Áudio' },
    link: 'Endereço público do arquivo',
    caption: 'Legenda',
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
