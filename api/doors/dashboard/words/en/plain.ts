/** Pages of few words: a refusal, a question, a member who may see nothing. */
export const plain = {
  goBack: 'Go back',
  problems: {
    403: 'You may not do this',
    404: 'Page not found',
    405: 'This cannot be done here',
    429: 'Too many requests',
    503: 'Not available right now',
    refused: 'This did not work',
    fault: 'Something went wrong',
  },
  noPage: 'There is no such page.',
  fault: (requestId: string) => `Something went wrong on our side. Request id: ${requestId}`,
  lacks: (what: string) =>
    `Your permissions do not allow this. It needs “${what}”, which an administrator of the workspace can give you.`,
  welcome: {
    title: 'Welcome',
    to: (workspace: string) => `Welcome to ${workspace}`,
    text:
      'There is nothing here that your permissions let you see. Ask an administrator of the workspace for some, then ' +
      'reload this page.',
  },
  otherOrigin: (origin: string, home: string) =>
    `This was sent from ${origin}, but this installation is at ${home}. ` +
    'Open it there; if that is not its address, BASE_URL has to be set to the one that people use.',
};
