/** Agents that members connected, and the clients that may connect. */
export const agents = {
  title: 'Agents',
  connected: 'Connected agents',
  none: {
    lead: 'No agent is connected.',
    text:
      'Give the address {address} to an agent that speaks MCP; it brings a member here to sign in and agree. ' +
      '{guide}',
    guide: 'How to connect an agent',
  },
  for: (member: string) => `For ${member} · connected`,
  lastCall: 'last call',
  noCall: 'no call yet',
  autonomy: 'Autonomy',
  levelSaved: 'The level is saved. It decides from the next call on.',
  disconnect: {
    button: 'Disconnect',
    ask: {
      title: 'Disconnect this agent?',
      text: 'It is refused from its next call on. To come back it must be connected again.',
      button: 'Disconnect',
    },
    named: (name: string) => `Disconnect “${name}”?`,
    done: 'The agent is disconnected.',
  },
  clients: {
    title: 'OAuth clients',
    about: 'Programs that may ask members for a connection.',
    none: "None is registered yet. An agent's documentation says which redirect URI it uses.",
    columns: { name: 'Name', id: 'Client id', uris: 'Redirect URIs' },
    disabled: 'disabled',
    types: {
      public: 'Public: an app on a computer or phone, without a secret',
      confidential: 'Confidential: a server that can keep a secret',
    },
  },
  readAgain: {
    button: 'Read again',
    named: (name: string) => `Read the document of “${name}” again?`,
    text: 'Its name and redirect URIs become what the document says now.',
  },
  disable: {
    button: 'Disable',
    ask: {
      title: 'Disable this client?',
      text: 'Every agent that connected through it is refused from its next call on. This cannot be undone.',
      button: 'Disable',
    },
    named: (name: string) => `Disable “${name}”?`,
    done: 'The client is disabled.',
  },
  register: {
    title: 'Register a client',
    button: 'Register',
    document: {
      title: 'By its document',
      about:
        'An application that publishes a document about itself needs nothing else: it is read now, and once more ' +
        'when you register it again.',
      named: (name: string) => `Register ${name}`,
      port: (port: number) => `· it must listen on port ${port}`,
      fields: {
        metadata_url: {
          label: 'Address of the document',
          hint: 'As the application sends it, for example https://…/client.json.',
        },
        callback_port: {
          label: 'Port',
          hint: 'Only for programs on a computer whose document names no port.',
        },
      },
      button: 'Read and register',
    },
    hand: {
      title: 'By hand',
      fields: {
        name: { label: 'Name', hint: 'Members see it when they are asked to agree.' },
        redirect_uris: { label: 'Redirect URIs', hint: 'One per line, exactly as the program sends them.' },
        client_type: { label: 'Type' },
      },
    },
    done: {
      title: 'The client is registered',
      copy: 'Copy the secret now: it is shown this once.',
      secret: 'Client secret',
      button: 'Done',
    },
  },
};
