import { allScopes, consentableScopes, keyScopes, memberScopes } from '../../api/core/http/access';
import { AppError } from '../../api/core/http/errors';
import { grantableScopes, ineffectiveScopes } from '../../api/services/identity/apiKeys/service';
import { checkPermissions } from '../../api/services/identity/members/service';

describe('grantableScopes', () => {
  it('gives what is asked for, once', () => {
    expect(grantableScopes(['chat.view', 'team.view', 'chat.view'], allScopes)).toEqual(['team.view', 'chat.view']);
  });

  it('takes "all" for every key scope that the member holds', () => {
    expect(grantableScopes(['all'], allScopes)).toEqual(keyScopes);
    expect(grantableScopes(['all'], memberScopes('agent', ['chat.view', 'macro.manage', 'nonsense']))).toEqual([
      'chat.view',
    ]);
  });

  it('does not store permissions that have no effect on a key', () => {
    expect(grantableScopes(['macro.manage', 'chat.view'], allScopes)).toEqual(['chat.view']);
  });

  it('refuses a scope that the member lacks, and names it', () => {
    expect(() => grantableScopes(['ticket.view'], ['chat.view'])).toThrow(
      'The member does not hold the permission ticket.view',
    );
  });

  it.each([[['nonsense']], [['__proto__']], [[]]])('refuses %j', (wanted) => {
    expect(() => grantableScopes(wanted, allScopes)).toThrow(AppError);
  });
});

describe('a scope that cannot be granted', () => {
  it('is named: as a wrong value where there is none of that name, else as one that the member lacks', () => {
    expect(() => grantableScopes(['nonsense'], allScopes)).toThrow(
      expect.objectContaining({
        code: 'validation',
        details: expect.objectContaining({ fields: { scopes: [expect.stringContaining('"nonsense"')] } }),
      }),
    );
    expect(() => grantableScopes([], allScopes)).toThrow(
      expect.objectContaining({
        code: 'validation',
        details: expect.objectContaining({ fields: { scopes: [expect.any(String)] } }),
      }),
    );
    expect(() => grantableScopes(['ticket.view'], [])).toThrow(
      expect.objectContaining({ code: 'forbidden', details: expect.objectContaining({ missingScope: 'ticket.view' }) }),
    );
    expect(() => checkPermissions(['nonsense'])).toThrow(
      expect.objectContaining({
        code: 'validation',
        details: expect.objectContaining({ fields: { permissions: [expect.any(String)] } }),
      }),
    );
  });

  it('or has no effect is told apart from what was granted', () => {
    expect(ineffectiveScopes(['all', 'macro.manage', 'chat.view', 'macro.manage'], ['chat.view'])).toEqual([
      'macro.manage',
    ]);
  });
});

describe('the lists of scopes', () => {
  it('leave to the dashboard what is for the dashboard only', () => {
    expect(allScopes.filter((scope) => !keyScopes.includes(scope))).toEqual([
      'macro.manage',
      'report.view',
      'workspace.manage',
      'billing',
    ]);
  });

  it('let a member grant an agent seven of them', () => {
    expect(consentableScopes).toEqual([
      'chat.view',
      'chat.send_message',
      'chat.assign',
      'contact.view',
      'contact.edit',
      'template.view',
      'macro.view',
    ]);
  });
});

describe('permissions of members', () => {
  it('gives owners everything, admins all but billing unless it was given, agents what was chosen', () => {
    expect(memberScopes('owner', [])).toEqual(allScopes);
    expect(memberScopes('admin', ['chat.view'])).toEqual(allScopes.filter((scope) => scope !== 'billing'));
    expect(memberScopes('admin', ['billing'])).toEqual(allScopes);
    expect(memberScopes('agent', ['chat.view', 'nonsense'])).toEqual(['chat.view']);
  });

  it('reads names, "all" and "none"', () => {
    expect(checkPermissions(['chat.view', 'chat.view'])).toEqual(['chat.view']);
    expect(checkPermissions(['all'])).toEqual(keyScopes);
    expect(checkPermissions(['none'])).toEqual([]);
    expect(() => checkPermissions(['nonsense'])).toThrow(AppError);
  });
});
