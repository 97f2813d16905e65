import type { Worded } from '../../../../core/text/catalogue';
import type { agents as en } from '../en/agents';

export const agents: Worded<typeof en> = {
  title: 'Agentes',
  connected: 'Agentes conectados',
  none: {
    lead: 'No hay ningún agente conectado.',
    text:
      'Da la dirección {address} a un agente que hable MCP; traerá a un miembro aquí para que inicie sesión y acepte. ' +
      '{guide}',
    guide: 'Cómo conectar un agente',
  },
  for: (member) => `Para ${member} · conectado`,
  lastCall: 'última llamada',
  noCall: 'aún sin llamadas',
  autonomy: 'Autonomía',
  levelSaved: 'El nivel se guardó. Vale desde la próxima llamada.',
  disconnect: {
    button: 'Desconectar',
    ask: {
      title: '¿Desconectar este agente?',
      text: 'Se le rechaza desde la próxima llamada. Para volver hay que conectarlo de nuevo.',
      button: 'Desconectar',
    },
    named: (name) => `¿Desconectar “${name}”?`,
    done: 'El agente está desconectado.',
  },
  clients: {
    title: 'Clientes de OAuth',
    about: 'Programas que pueden pedir a los miembros una conexión.',
    none: 'Aún no hay ninguno registrado. La documentación de un agente dice qué URI de redirección usa.',
    columns: { name: 'Nombre', id: 'ID de cliente', uris: 'URI de redirección' },
    disabled: 'desactivado',
    types: {
      public: 'Público: una app en una computadora o un teléfono, sin secreto',
      confidential: 'Confidencial: un servidor que puede guardar un secreto',
    },
  },
  readAgain: {
    button: 'Leer de nuevo',
    named: (name) => `¿Leer de nuevo el documento de “${name}”?`,
    text: 'Su nombre y sus URI de redirección pasan a ser los que el documento dice ahora.',
  },
  disable: {
    button: 'Desactivar',
    ask: {
      title: '¿Desactivar este cliente?',
      text: 'Se rechaza desde la próxima llamada a todo agente que se conectó por medio de él. Esto no se puede deshacer.',
      button: 'Desactivar',
    },
    named: (name) => `¿Desactivar “${name}”?`,
    done: 'El cliente está desactivado.',
  },
  register: {
    title: 'Registrar un cliente',
    button: 'Registrar',
    document: {
      title: 'Por su documento',
      about:
        'Una aplicación que publica un documento sobre sí misma no necesita nada más: se lee ahora, y otra vez cuando la ' +
        'registres de nuevo.',
      named: (name) => `Registrar ${name}`,
      port: (port) => `· debe escuchar en el puerto ${port}`,
      fields: {
        metadata_url: {
          label: 'Dirección del documento',
          hint: 'Tal como la envía la aplicación, por ejemplo https://…/client.json.',
        },
        callback_port: {
          label: 'Puerto',
          hint: 'Solo para programas en una computadora cuyo documento no indica un puerto.',
        },
      },
      button: 'Leer y registrar',
    },
    hand: {
      title: 'A mano',
      fields: {
        name: { label: 'Nombre', hint: 'Los miembros lo ven cuando se les pide que acepten.' },
        redirect_uris: { label: 'URI de redirección', hint: 'Una por línea, exactamente como las envía el programa.' },
        client_type: { label: 'Tipo' },
      },
    },
    done: {
      title: 'El cliente está registrado',
      copy: 'Copia el secreto ahora: se muestra solo esta vez.',
      secret: 'Secreto del cliente',
      button: 'Listo',
    },
  },
};
