import { loadConfig, type Config } from '../../api/core/config';
import { prepareNamespace } from '../../api/core/temporal/namespace';
import { searchAttributeNames } from '../../workflows/contract';
import { eventually } from '../support/eventually';
import type { TestRuntime } from '../support/runtime';
import { sharedDesk } from '../support/sharedDesk';
import { privateTemporal, type PrivateTemporal } from '../support/temporal';

const daySeconds = 86_400;

describe('npm run migrate and the namespace', () => {
  let server: PrivateTemporal;
  let test: TestRuntime;
  beforeAll(async () => {
    server = await privateTemporal();
    ({ test } = await sharedDesk('no sandbox', { env: { TEMPORAL_ADDRESS: server.address } }));
    test.onClose(() => server.close());
    await eventually(async () => expect(await test.runtime.temporal.probe()).toBe('up'));
  });
  afterAll(() => test.close());

  const configOf = (env: Record<string, string>): Config => loadConfig({ ...test.env, ...env });
  async function prepared(env: Record<string, string>): Promise<string[]> {
    const said: string[] = [];
    expect(await prepareNamespace(configOf(env), (line) => said.push(line))).toEqual([]);
    return said;
  }
  async function retentionDays(namespace: string): Promise<number> {
    const { connection } = test.runtime.temporal.client();
    const described = await connection.workflowService.describeNamespace({ namespace });
    return Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / daySeconds;
  }
  const operatorSets = async (namespace: string, days: number): Promise<void> =>
    void (await test.runtime.temporal.client().connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: { seconds: (days * daySeconds) as never } },
    }));

  it('makes one that is not there, with its search attributes, and finds it the next time', async () => {
    const said = await prepared({ TEMPORAL_NAMESPACE: 'made' });
    expect(said).toEqual([
      'made the namespace made; it keeps what has ended for 7 days',
      `registered search attributes ${searchAttributeNames.join(', ')}`,
    ]);
    await eventually(async () => expect(await retentionDays('made')).toBe(7));
    expect(await prepared({ TEMPORAL_NAMESPACE: 'made' })).toEqual([]);
  });

  it('never changes the retention that an operator chose, neither up nor down', async () => {
    for (const days of [1, 90]) {
      await operatorSets('default', days);
      await eventually(async () => expect(await retentionDays('default')).toBe(days));
      expect(await prepared({ TEMPORAL_NAMESPACE: 'default' })).toEqual([]);
      expect(await retentionDays('default')).toBe(days);
    }
  });

  it('sets what the settings ask for, once', async () => {
    const env = { TEMPORAL_NAMESPACE: 'default', TEMPORAL_RETENTION_DAYS: '3' };
    expect(await prepared(env)).toEqual(['set the retention of namespace default to 3 days']);
    await eventually(async () => expect(await retentionDays('default')).toBe(3));
    expect(await prepared(env)).toEqual([]);
    expect(await prepared({ TEMPORAL_NAMESPACE: 'other', TEMPORAL_RETENTION_DAYS: '2' })).toContain(
      'made the namespace other; it keeps what has ended for 2 days',
    );
  });
});
