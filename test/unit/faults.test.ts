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
    ['too many connections', ofDatabase('sorry, too many clients already', '53300')],
    ['a stopping server', ofDatabase('terminating connection due to administrator command', '57P01')],
    ['a socket', bare('write EPIPE', 'EPIPE')],
    ['a refused connection', bare('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')],
    ['our own', new Error('the platform answered 500')],
  ])('keeps what is about the server: %s', (_, error) => {
    expect(reasonOf(error)).toBe(error.message);
  });

  it.each(['08006', '25006', '40001', '53300', '55P03', '57014', '58030'])(
    'keeps what is about the server, not about data: class of %s',
    (code) => {
      expect(reasonOf(ofDatabase('about the server', code))).toBe('about the server');
    },
  );

  it('takes the first of several, and a name where there is no text', () => {
    expect(reasonOf(new AggregateError([new Error('connect ECONNREFUSED ::1:5432')]))).toBe(
      'connect ECONNREFUSED ::1:5432',
    );
    expect(reasonOf(new TypeError())).toBe('TypeError');
    expect(reasonOf('thrown text')).toBe('thrown text');
  });
});
