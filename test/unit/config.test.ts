import { loadConfig } from '../../api/core/config';

const usable = {
  DATABASE_URL: 'postgres://desk@127.0.0.1/desk',
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
};

describe('settings are checked before anything starts', () => {
  it('are usable as they are documented', () => {
    expect(loadConfig(usable)).toMatchObject({ baseUrl: 'http://127.0.0.1:3000', trustProxy: 0 });
  });

  it('all that are wrong are named at once', () => {
    const wrong = { ...usable, TRUST_PROXY: 'all', BASE_URL: 'https://desk.test/path', SECRETS_KEY: 'short' };
    expect(() => loadConfig(wrong)).toThrow(/^ {2}(TRUST_PROXY|BASE_URL|SECRETS_KEY)[^]+\n {2}[^]+\n {2}/m);
    for (const name of ['TRUST_PROXY', 'BASE_URL', 'SECRETS_KEY']) expect(() => loadConfig(wrong)).toThrow(name);
  });

  it.each(Object.keys(usable))('%s has no default', (name) => {
    for (const given of [undefined, '']) expect(() => loadConfig({ ...usable, [name]: given })).toThrow(name);
  });
});
