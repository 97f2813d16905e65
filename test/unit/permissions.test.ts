import { allScopes, keyScopes, memberScopes } from '../../api/core/access';
import { AppError } from '../../api/core/errors';
import { grantableScopes } from '../../api/services/identity/apiKeys/service';
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

describe('permissions of members', () => {
  it('gives owners and admins everything, agents what was chosen', () => {
    expect(memberScopes('owner', [])).toEqual(allScopes);
    expect(memberScopes('admin', [])).toEqual(allScopes);
    expect(memberScopes('agent', ['chat.view', 'nonsense'])).toEqual(['chat.view']);
  });

  it('reads names, "all" and "none"', () => {
    expect(checkPermissions(['chat.view', 'chat.view'])).toEqual(['chat.view']);
    expect(checkPermissions(['all'])).toEqual(keyScopes);
    expect(checkPermissions(['none'])).toEqual([]);
    expect(() => checkPermissions(['nonsense'])).toThrow(AppError);
  });
});
