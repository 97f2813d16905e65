/** What the pages under Settings have in common. */
export const settings = {
  groups: { workspace: 'Workspace', people: 'People', work: 'Work', developers: 'Developers', you: 'You' },
  sections: {
    workspace: 'Workspace',
    sso: 'Single sign-on',
    numbers: 'Numbers',
    plan: 'Plan',
    usage: 'Costs',
    audit: 'Audit log',
    members: 'Members',
    inboxes: 'Team inboxes',
    hours: 'Hours',
    fields: 'Custom fields',
    templates: 'Templates',
    sla: 'SLA policies',
    keys: 'API keys',
    webhooks: 'Webhooks',
    agents: 'Agents',
    account: 'Your account',
  },
  copy: 'Copy',
  sentBefore: 'This form was sent before. What it made is in the list; its secret was shown then, once.',
};
