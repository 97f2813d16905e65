import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { root } from './settings';

/** A server that speaks S3's language, over a folder, with a bucket `files`. */
export interface S3Server {
  /** The settings of a service that keeps its files there. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A module of the new kind, which jest cannot load: it runs in a process of its own. */
const program = `
  const { default: S3rver } = await import(process.argv[1]);
  const server = new S3rver({
    port: 0, address: '127.0.0.1', silent: true, directory: process.argv[2], configureBuckets: [{ name: 'files' }],
  });
  console.log((await server.run()).port);`;

/** Starts one; where something else listens already, that has to be one of its own kind. */
export async function startS3(folder: string): Promise<S3Server> {
  const entry = path.join(root, 'node_modules', '@20minutes', 's3rver', 'lib', 's3rver.js');
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, entry, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    env: {
      FILES_S3_BUCKET: 'files',
      FILES_S3_ENDPOINT: `http://127.0.0.1:${line.toString().trim()}`,
      FILES_S3_ACCESS_KEY_ID: 'S3RVER',
      FILES_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
