import type { Worded } from '../../../../core/text/catalogue';
import type { contactImport as en } from '../en/contactImport';
import { plural } from '../plural';

const countRows = (count: number): string => plural(count, { one: 'linha', other: 'linhas' });

export const contactImport: Worded<typeof en> = {
  title: 'Importar contatos',
  short: 'Importar',
  noPlan: 'Nada pode ser importado até que um plano seja escolhido.',
  choose: 'Escolha um arquivo CSV ou solte-o aqui',
  size: (most, megabytes) => `Até ${most} linhas e ${megabytes} MB, em UTF-8 ou UTF-16.`,
  country: 'Números sem código de país são de',
  noCountry: 'Todos os números têm seu código de país',
  start: 'Importar',
  countRows,
  running: 'Importando',
  namesNobody: 'Nenhuma coluna com o número de telefone foi encontrada. Dê a uma o nome “Phone”.',
  preview: {
    in: 'em',
    ask: 'Diga o que é cada coluna. Nada foi importado ainda.',
    label: 'Linhas do arquivo',
    column: (name) => `O que é “${name}”`,
    unnamed: 'Sem nome',
    more: (count) =>
      `Mais ${plural(count, { one: 'coluna é guardada', other: 'colunas são guardadas' })} com os contatos.`,
    start: (count) => `Importar ${countRows(count)}`,
    progress: (count) => `{done} de ${countRows(count)}`,
    namesNobody: 'Diga qual coluna é o número de telefone: acima dela, escolha “Telefone”.',
  },
  columns: {
    '': 'Deixar de fora',
    '(attribute)': 'Guardar como está',
    phone: 'Telefone',
    name: 'Nome',
    '(first_name)': 'Primeiro nome',
    '(last_name)': 'Sobrenome',
    email: 'E-mail',
    company: 'Empresa',
    notes: 'Notas',
    tags: 'Etiquetas',
    marketing_opt_out: 'Descadastrado do marketing',
    bsuid: 'ID de usuário de um número oculto',
    receiver_id: 'Telefone ou ID de usuário',
  },
  ownFields: 'Seus campos',
  check: {
    label: 'O que a importação faria',
    counts: {
      created: 'Contatos novos',
      updated: 'Conhecidos, atualizados',
      failed: 'Linhas recusadas',
      optedOut: 'Descadastrados do marketing por este arquivo',
      keptOut: 'Continuam descadastrados, diga o arquivo o que disser',
    },
    problems: 'O que está errado em algumas linhas',
    refused: 'recusada',
    dropped: 'valor deixado de fora',
    first: (row) => `primeiro na linha ${row}`,
  },
  reasons: {
    noNumber: 'A linha não tem número de telefone.',
    noPhone: 'Isto não é um número de telefone.',
    userId: 'ID de usuário',
  },
  guide: {
    title: 'Como é o arquivo',
    text:
      'A primeira linha dá nome às colunas; uma delas é o número de telefone. Arquivos do Google, Outlook, HubSpot e ' +
      'Chatwoot são lidos como estão. Um contato que já existe é alterado, e o mesmo arquivo outra vez não altera nada.',
    lists: 'Listas',
    listsText: 'Etiquetas e várias opções são separadas por ponto e vírgula.',
    others: 'Outras colunas',
    othersText: 'São guardadas com o contato como estão, ou deixadas de fora, como você disser.',
  },
  done: {
    another: 'Importar outro arquivo',
    see: 'Ver contatos',
    title: 'Concluído',
    counts: { received: 'Linhas', created: 'Criados', updated: 'Alterados', failed: 'Recusadas' },
    kept: (names) => `Guardadas com os contatos como estão: ${names}`,
    refused: 'O que foi recusado ou deixado de fora',
    download: 'Baixar como CSV',
    more: 'Há mais do que estas.',
    row: 'Linha',
    column: 'Coluna',
    value: 'Valor',
    why: 'Por quê',
  },
  script: {
    unreachable: 'Não foi possível alcançar o servidor.',
    unexpected: 'O servidor não respondeu como deveria.',
    tooLarge: 'O arquivo é grande demais. Divida-o em menores.',
    checking: 'Verificando as linhas…',
    begun:
      '{count} linhas foram importadas; importe o arquivo de novo para continuar, isso não altera nada duas vezes.',
    outcome: 'Resultado da importação',
    stopped: 'Parada',
    download: 'Baixar as linhas recusadas, com o que está errado',
    table: 'O que foi recusado',
  },
  file: { dropped: 'valor deixado de fora', refused: 'linha recusada' },
};
