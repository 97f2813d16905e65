import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { uniquePhone } from '../factories/unique';

/** What a later try may not meet: the answer says when to try, and never blames the service or the request. */
describe('a database that is too busy for a statement', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('no sandbox');
    await desk.runtime.db.rows('CREATE TABLE trouble (state text)');
    desk.test.onClose(async () => {
      await desk.runtime.db.rows('DROP FUNCTION IF EXISTS make_trouble CASCADE');
      await desk.runtime.db.rows('DROP TABLE trouble');
    });
    await desk.runtime.db
      .rows(`CREATE FUNCTION make_trouble() RETURNS trigger LANGUAGE plpgsql AS $body$ DECLARE found text; BEGIN
        SELECT state INTO found FROM trouble;
        IF found IS NOT NULL THEN RAISE EXCEPTION 'trouble' USING ERRCODE = found; END IF;
        RETURN NEW;
      END $body$`);
    await desk.runtime.db.rows(
      'CREATE TRIGGER trouble BEFORE INSERT ON contacts FOR EACH ROW EXECUTE FUNCTION make_trouble()',
    );
  });
  afterAll(() => desk.close());

  const setTrouble = async (state: string | null): Promise<void> => {
    await desk.runtime.db.rows('DELETE FROM trouble');
    if (state) await desk.runtime.db.rows('INSERT INTO trouble VALUES ($state)', { state });
  };

  it.each(['57014', '40001', '40P01', '55P03', '53100', '53200', '53300'])('%s is a 503', async (state) => {
    await setTrouble(state);
    const { status, headers, body } = await desk.api.post('/api/v1/contacts/', { phone: uniquePhone() });
    expect([status, body]).toEqual([503, { error: 'The service is busy. Try again shortly.' }]);
    expect(headers['retry-after']).toBe('1');
    await setTrouble(null);
    expect((await desk.api.post('/api/v1/contacts/', { phone: uniquePhone() })).status).toBe(201);
  });

  it('tells a fault of ours from it', async () => {
    await setTrouble('22012');
    expect((await desk.api.post('/api/v1/contacts/', { phone: uniquePhone() })).status).toBe(500);
    await setTrouble(null);
  });
});
