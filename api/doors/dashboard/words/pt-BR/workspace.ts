import type { Worded } from '../../../../core/text/catalogue';
import type { workspace as en } from '../en/workspace';
import { plural } from '../plural';

export const workspace: Worded<typeof en> = {
  title: 'Espaço de trabalho',
  plan: {
    title: 'Plano',
    on: 'Você está no plano {plan}.',
    ends: 'O teste termina {at}.',
    ended: 'O teste terminou {at}.',
    none: 'Nenhum plano foi escolhido.',
    change: 'Alterar o plano',
    choose: 'Escolher um plano',
    over: 'O teste acabou. Com um plano tudo volta a funcionar na hora.',
    before: 'Escolha um plano antes que o teste termine, e nada para.',
    chooseThis: 'Escolher este plano',
    chosen: 'O plano foi escolhido. Tudo funciona.',
  },
  fields: {
    name: { label: 'Nome' },
    timezone: { label: 'Fuso horário', hint: 'Todos os horários do painel são mostrados nele.' },
    language: {
      label: 'Idioma',
      hint: 'Dos membros que não escolheram nenhum, quando o navegador deles não pede nenhum destes.',
    },
    country: {
      label: 'País dos números de telefone',
      hint: 'Para números em formulários e arquivos importados sem código de país, como 0151 5550001.',
    },
    opt_out_words: {
      label: 'Palavras para sair',
      hint: 'Uma por linha. Um cliente que escreve uma delas não recebe mais mensagens de marketing.',
    },
    opt_in_words: { label: 'Palavras para voltar', hint: 'Uma por linha.' },
    require_factor: { label: 'Todos apresentam um segundo fator ao entrar' },
    show_read: {
      label: 'Mostrar aos clientes quando as mensagens deles são lidas',
      hint: 'Dois tiques azuis, assim que um membro está com a conversa aberta.',
    },
    show_typing: {
      label: 'Mostrar aos clientes “digitando…” enquanto um membro escreve para eles',
      hint: 'Dentro de 24 horas da última mensagem deles, nunca com notas. A plataforma mostra com isso as mensagens deles como lidas.',
    },
    ask_satisfaction: {
      label: 'Perguntar aos clientes depois que uma conversa é concluída',
      hint:
        'No máximo uma vez por semana, e dentro de 24 horas da última mensagem deles. Alterações de muitas de uma vez não ' +
        'perguntam a ninguém.',
    },
    satisfaction_question: { label: 'Pergunta' },
    satisfaction_labels: {
      label: 'Botões',
      hint:
        'Três, um por linha, a melhor resposta primeiro; no máximo 20 caracteres cada. Os relatórios contam o primeiro como ' +
        'satisfeito.',
    },
  },
  noCountry: 'Nenhum: cada número tem seu código de país',
  customersSee: 'O que os clientes veem',
  satisfaction: 'Satisfação',
  saved: 'As configurações foram salvas.',
  ignored: {
    title: 'Enviado pela plataforma, não usado aqui',
    about: 'A plataforma envia eventos com os quais esta versão não faz nada. Eles são guardados por um tempo.',
    count: '{count}, o último {at}',
  },
  kept: {
    title: 'Por quanto tempo as coisas são guardadas',
    about:
      'Conversas, contatos e tickets ficam até que um membro os apague. O resto é excluído depois de um tempo que o ' +
      'operador desta instalação define.',
    days: (days) => plural(days, { one: 'dia', other: 'dias' }),
    kinds: {
      messages: 'Mensagens, com o que os clientes enviaram nelas',
      activity: 'Atividade de conversas, contatos e tickets',
      audit: 'Log de auditoria',
      approvals: 'Aprovações decididas',
      macroRuns: 'Execuções de macros',
      webhookEvents: 'Eventos de webhooks e suas entregas',
      parkedEvents: 'O que a plataforma enviou e não pôde ser processado ou não é usado',
      broadcastRecipients: 'Destinatários de transmissões; os números ficam',
      stageMoves: 'Quem foi avisado de movimentos de tickets',
      usage: 'Uso, que não cita nenhum cliente',
      aliases: 'Números e IDs antigos de contatos',
    },
  },
};
