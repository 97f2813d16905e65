import type { Worded } from '../../../../core/text/catalogue';
import type { agents as en } from '../en/agents';

export const agents: Worded<typeof en> = {
  title: 'Agentes',
  connected: 'Agentes conectados',
  none: {
    lead: 'Nenhum agente está conectado.',
    text: 'Dê o endereço {address} a um agente que fale MCP; ele traz um membro aqui para entrar e concordar. {guide}',
    guide: 'Como conectar um agente',
  },
  for: (member) => `Para ${member} · conectado`,
  lastCall: 'última chamada',
  noCall: 'nenhuma chamada ainda',
  autonomy: 'Autonomia',
  levelSaved: 'O nível foi salvo. Vale a partir da próxima chamada.',
  disconnect: {
    button: 'Desconectar',
    ask: {
      title: 'Desconectar este agente?',
      text: 'Ele é recusado a partir da próxima chamada. Para voltar, precisa ser conectado de novo.',
      button: 'Desconectar',
    },
    named: (name) => `Desconectar “${name}”?`,
    done: 'O agente foi desconectado.',
  },
  clients: {
    title: 'Clientes OAuth',
    about: 'Programas que podem pedir uma conexão aos membros.',
    none: 'Nenhum está registrado ainda. A documentação de um agente diz qual URI de redirecionamento ele usa.',
    columns: { name: 'Nome', id: 'ID do cliente', uris: 'URIs de redirecionamento' },
    disabled: 'desativado',
    types: {
      public: 'Público: um app em um computador ou celular, sem segredo',
      confidential: 'Confidencial: um servidor que pode guardar um segredo',
    },
  },
  readAgain: {
    button: 'Ler de novo',
    named: (name) => `Ler de novo o documento de “${name}”?`,
    text: 'O nome e as URIs de redirecionamento passam a ser o que o documento diz agora.',
  },
  disable: {
    button: 'Desativar',
    ask: {
      title: 'Desativar este cliente?',
      text: 'Todo agente que se conectou por ele é recusado a partir da próxima chamada. Isso não pode ser desfeito.',
      button: 'Desativar',
    },
    named: (name) => `Desativar “${name}”?`,
    done: 'O cliente foi desativado.',
  },
  register: {
    title: 'Registrar um cliente',
    button: 'Registrar',
    document: {
      title: 'Pelo documento dele',
      about:
        'Um aplicativo que publica um documento sobre si não precisa de mais nada: ele é lido agora e de novo quando você ' +
        'o registrar outra vez.',
      named: (name) => `Registrar ${name}`,
      port: (port) => `· precisa escutar na porta ${port}`,
      fields: {
        metadata_url: {
          label: 'Endereço do documento',
          hint: 'Como o aplicativo o envia, por exemplo https://…/client.json.',
        },
        callback_port: {
          label: 'Porta',
          hint: 'Só para programas em um computador cujo documento não informa uma porta.',
        },
      },
      button: 'Ler e registrar',
    },
    hand: {
      title: 'À mão',
      fields: {
        name: { label: 'Nome', hint: 'Os membros o veem quando são solicitados a concordar.' },
        redirect_uris: {
          label: 'URIs de redirecionamento',
          hint: 'Uma por linha, exatamente como o programa as envia.',
        },
        client_type: { label: 'Tipo' },
      },
    },
    done: {
      title: 'O cliente está registrado',
      copy: 'Copie o segredo agora: ele é mostrado só desta vez.',
      secret: 'Segredo do cliente',
      button: 'Concluir',
    },
  },
};
