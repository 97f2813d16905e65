/** Signing in by a company's own provider. */
export const sso = {
  title: 'Single sign-on',
  noDomain:
    'Members can sign in by the OpenID Connect provider of your company. Whoever runs this installation gives your ' +
    'workspace its domain first.',
  domain: 'Emails of {domain} sign in by the provider below. Register this address there: {address}',
  onlyOwners: 'Only owners change this.',
  fields: {
    issuer: { label: 'Issuer', hint: 'As the provider writes it. Empty: nobody signs in by it.' },
    client_id: { label: 'Client ID' },
    client_secret: { label: 'Client secret' },
    new_member_role: { label: 'Who signs in for the first time becomes' },
    new_member_permissions: { label: 'Their permissions' },
    require_sso: {
      label: 'Members sign in by it alone',
      hint: 'Owners also get in by password and second factor, when the provider does not work.',
    },
    require_factor_for_sso: { label: 'They prove a second factor here, too' },
  },
  secretKept: 'One is kept. Empty: it stays, unless the issuer changes.',
  noSecret: 'None is kept.',
  roles: {
    nobody: 'Nobody: only members are let in',
    agent: 'An agent with the permissions below',
    admin: 'An admin',
  },
  saved: 'Single sign-on is saved.',
};
