import { DatabaseError } from 'sequelize';
import { reasonOf } from '../../api/core/http/faults';

const ofDatabase = (message: string, code: string, constraint?: string): Error =>
  new DatabaseError(Object.assign(new Error(message), { code, constraint, sql: 'SELECT 1' }));
const bare = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('the reason of a failure, in logs and rows', () => {
  it.each([
    ['a value of a statement', ofDatabase('invalid input syntax for type integer: "Anna"', '22P02'), '22P02'],
    ['a constraint', ofDatabase('duplicate key: Anna', '23505', 'contacts_phone'), '23505 at contacts_phone'],
    ['an exception of a function', ofDatabase('Anna is away', 'P0001'), 'P0001'],
    ['an error of the driver itself', bare('value "Anna" is out of range', '22003'), '22003'],
  ])('leaves out what quotes data: %s', (_, error, left) => {
    expect(reasonOf(error)).toBe(`database error ${left}`);
  });

  it.each([
    ['a socket', bare('write EPIPE', 'EPIPE')],
    ['a refused connection', bare('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')],
    ['our own', new Error('the platform answered 500')],
  ])('keeps what is about the server: %s', (_, error) => {
    expect(reasonOf(error)).toBe(error.message);
  });

  it.each(['08006', '25006', '40001', '53300', '55P03', '57014', '57P01', '58030'])(
    'keeps what the database says about the server, not about data, with its code: %s',
    (code) => {
      expect(reasonOf(ofDatabase('about the server', code))).toBe(`about the server (${code})`);
    },
  );

  it('goes on to what caused it, and says nothing twice', () => {
    const refused = Object.assign(new Error('3 INVALID_ARGUMENT: the id is too long'), { code: 3 });
    expect(reasonOf(new Error('Failed to start Workflow', { cause: refused }))).toBe(
      'Failed to start Workflow: 3 INVALID_ARGUMENT: the id is too long',
    );
    expect(reasonOf(new Error('fetch failed', { cause: ofDatabase('duplicate key: Anna', '23505') }))).toBe(
      'fetch failed: database error 23505',
    );
    expect(reasonOf(new Error('the store failed: it is full', { cause: new Error('it is full') }))).toBe(
      'the store failed: it is full',
    );
    const itself: Error = new Error('a ring');
    itself.cause = itself;
    expect(reasonOf(itself)).toBe('a ring');
    const chain = ['seventh', 'sixth', 'fifth', 'fourth', 'third', 'second', 'first'].reduce<Error | undefined>(
      (cause, text) => new Error(text, { cause }),
      undefined,
    );
    expect(reasonOf(chain)).toBe('first: second: third: fourth: fifth: sixth');
  });

  it('takes the first of several, and a name where there is no text', () => {
    expect(reasonOf(new AggregateError([new Error('connect ECONNREFUSED ::1:5432')]))).toBe(
      'connect ECONNREFUSED ::1:5432',
    );
    expect(reasonOf(new TypeError())).toBe('TypeError');
    expect(reasonOf('thrown text')).toBe('thrown text');
  });
});
