import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app';
import { loadConfig } from '../../api/core/config';
import { createLogger } from '../../api/core/logger';
import { createRuntime } from '../../api/core/runtime';
import type { TestApi } from './api';

/** Further API replicas over the same database, each with a pool and a server of its own; gives their origins. */
export async function startReplicas(desk: TestApi, count: number, env: Record<string, string> = {}): Promise<string[]> {
  const origins: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const config = loadConfig({ ...desk.test.env, ...env });
    const runtime = createRuntime(config, 'test', {
      logger: createLogger(config.logLevel, 'test'),
      timing: desk.test.timing,
    });
    const app = createApp(runtime);
    const server = http.createServer((request, response) => void app(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    desk.test.onClose(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await runtime.close();
    });
    origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  return origins;
}
