import type { Worded } from '../../../../core/text/catalogue';
import type { search as en } from '../en/search';
import { plural } from '../plural';

export const search: Worded<typeof en> = {
  title: 'Buscar',
  label: 'Buscar pessoas, mensagens, tickets e páginas',
  placeholder: 'Um nome, um número, palavras de uma mensagem, uma página…',
  find: 'Buscar',
  close: 'Fechar a busca',
  groups: { people: 'Pessoas', messages: 'Mensagens', tickets: 'Tickets', go: 'Ir para' },
  more: { people: 'Todas as pessoas', messages: 'Todas as mensagens', tickets: 'Todos os tickets' },
  found: (count) => plural(count, { one: 'resultado', other: 'resultados' }),
  nothing: {
    title: 'Nada encontrado',
    text: 'Nomes são encontrados pelo começo, mensagens por palavras inteiras de três letras ou mais.',
  },
  failed: 'não puderam ser buscados. Tente de novo.',
  lost: 'Não foi possível alcançar o servidor. Continue digitando ou pressione Enter para tentar de novo.',
  busy: 'O servidor está ocupado. Espere um momento e pressione Enter.',
  hint: { choose: 'escolher', open: 'abrir', close: 'fechar' },
  acts: {
    broadcast: 'Nova transmissão',
    ticket: 'Novo ticket',
    contact: 'Novo contato',
    import: 'Importar contatos',
    macro: 'Nova macro',
    rule: 'Nova regra',
    reply: 'Nova resposta pronta',
    member: 'Convidar um membro',
    key: 'Nova chave de API',
    webhook: 'Novo webhook',
    later: 'Mensagens para depois',
  },
};
