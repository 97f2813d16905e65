import type { Worded } from '../../../../core/text/catalogue';
import type { signIn as en } from '../en/signIn';

export const signIn: Worded<typeof en> = {
  error: (title) => `Erro: ${title}`,
  tooLong: 'Este formulário ficou aberto tempo demais. Tente de novo.',
  goOn: 'Continuar',
  password: {
    title: 'Entrar',
    named: 'entrar',
    reason: 'Use o e-mail e a senha da sua conta no espaço de trabalho.',
    application: 'Um aplicativo quer se conectar ao seu espaço de trabalho. Entre para decidir.',
    email: 'E-mail',
    password: 'Senha',
    company: 'Entrar com sua empresa',
    forgot: 'Esqueceu sua senha?',
    tooMany: (minutes) => `Tentativas demais. Tente de novo em ${minutes === 1 ? 'um minuto' : `${minutes} minutos`}.`,
    wrong: 'O e-mail ou a senha está errado.',
  },
  factor: {
    title: 'Segunda etapa',
    named: 'segunda etapa',
    more: 'Mais uma etapa',
    show: 'Mostre agora que é você.',
    setUp: 'Configure um segundo fator',
    scan: 'Seu espaço de trabalho pede um a cada entrada. Escaneie isto com um app autenticador no seu celular.',
    type: 'Ou digite isto no app: {secret}',
    code: 'Código do seu app autenticador, ou um código de recuperação',
    appCode: 'O código que o app mostra',
    passkey: 'Usar uma chave de acesso',
  },
  codes: {
    title: 'Seus códigos de recuperação',
    head: 'Códigos de recuperação',
    about:
      'Cada um substitui o app uma vez. Guarde-os onde você os encontre sem o celular: eles são mostrados só desta vez.',
    kept: 'Já guardei',
  },
  company: {
    title: 'Entrar com sua empresa',
    named: 'entrar com sua empresa',
    about: 'Se sua empresa tem seu próprio login, seu e-mail leva até lá.',
    email: 'E-mail',
    password: 'Entrar com uma senha',
    unknown: 'Nenhuma empresa com login próprio tem este e-mail.',
    over: 'Esta entrada terminou ou começou em outro navegador. Comece de novo.',
  },
  link: {
    gone: {
      title: 'Este link não funciona mais',
      text: 'Ele foi usado, tem mais de uma hora, ou um mais novo tomou o lugar dele. Peça outro.',
    },
    title: 'Escolha sua senha',
    for: (email, rule) => `Para ${email}. ${rule}`,
    password: 'Nova senha',
    again: 'Repetir a nova senha',
    differ: 'As duas senhas são diferentes.',
    save: 'Salvar',
    saved: {
      title: 'Sua senha foi salva',
      text: 'Sua sessão foi encerrada em todos os lugares. Entre com ela agora.',
    },
  },
  forgot: {
    title: 'Esqueceu sua senha?',
    about: 'Enviamos a você um link com o qual você escolhe uma nova.',
    email: 'E-mail',
    mail: 'Enviar um link',
    mailed: {
      title: 'Veja seu e-mail',
      text: 'Se um membro tem este e-mail, um link está a caminho. Ele funciona por uma hora.',
    },
  },
  verify: {
    title: 'É você?',
    about:
      'Você está prestes a fazer algo importante. Mostre mais uma vez que é você; depois nada pergunta por dez minutos.',
    password: 'Senha',
    company: 'Confirmar com sua empresa',
  },
};
