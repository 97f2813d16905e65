import type { Worded } from '../../../../core/text/catalogue';
import type { scripts as en } from '../en/scripts';

export const scripts: Worded<typeof en> = {
  fileLost: 'O arquivo não chegou. Tente de novo.',
  undo: 'Desfazer',
  open: 'Abrir',
  unreachable: 'Não foi possível alcançar o servidor. Tente de novo.',
  unsure: 'Não foi possível alcançar o servidor. Não deu para saber se isto foi feito: olhe antes de tentar de novo.',
  copied: 'Copiado.',
  notCopied: 'O navegador não nos deixa copiar. O texto está selecionado: pressione Ctrl+C.',
  areYouSure: 'Tem certeza?',
  goAhead: 'Continuar',
  uploading: 'Enviando…',
  uploadingFile: 'Enviando {name}…',
  fileOnItsWay: 'O arquivo ainda está a caminho.',
  filesOnTheirWay: 'Os arquivos ainda estão a caminho.',
  filesHere: 'Os arquivos chegaram. Salve para mantê-los.',
  leave: {
    title: 'Sair sem salvar?',
    text: 'O que você digitou aqui e não salvou se perde.',
    button: 'Sair',
  },
  signedOut: 'Sua sessão terminou. O que você vê pode estar desatualizado.',
  signIn: 'Entrar',
  new: '{count} novas',
  andMore: '{what} e mais {count}',
  newMessages: { one: '{count} nova mensagem ↓', other: '{count} novas mensagens ↓' },
  notLoaded: '{what}: não pôde ser carregado',
  notices: {
    impossible: 'Este navegador não mostra notificações próprias aqui: ele só as aceita de endereços com https.',
    denied: 'Este navegador não mostra notificações próprias: permita-as para este site nas configurações dele.',
    on: 'Este navegador mostra notificações próprias enquanto você não olha uma página.',
    noPush:
      'Este navegador mostra notificações enquanto uma página está aberta. Não foi possível alcançar o serviço de push dele.',
  },
  doNotAnswer: 'Não responder a esta mensagem',
  moving: 'Mover para {name}?',
  moveTells: { one: '“{template}” é enviado a um contato.', other: '“{template}” é enviado a {count} contatos.' },
  moveAndSend: 'Mover e enviar',
  passkeyFailed: 'Não funcionou. Tentar de novo',
  tooLong: { one: '{count} caractere a mais', other: '{count} caracteres a mais' },
};
