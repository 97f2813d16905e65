import { createSandbox } from './server';

/** Starts the process by the settings of its environment, prints one line when ready and ends cleanly on a signal. */
export async function main(): Promise<void> {
  const { SANDBOX_PORT, SANDBOX_HOST, SANDBOX_STATE_FILE, SANDBOX_CONTROL_TOKEN } = process.env;
  const port = Number(SANDBOX_PORT || 3001);
  const host = SANDBOX_HOST || '127.0.0.1';
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`SANDBOX_PORT must be a port number, not "${SANDBOX_PORT}".`);
  const sandbox = createSandbox({
    stateFile: SANDBOX_STATE_FILE || undefined,
    controlToken: SANDBOX_CONTROL_TOKEN || undefined,
  });
  const { url } = await sandbox.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken; set SANDBOX_PORT to another one.`) : error;
  });
  process.stdout.write(`sandbox ready on ${url}\n`);
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    sandbox.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function fail(error: unknown): void {
  process.stderr.write(`sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

if (require.main === module) main().catch(fail);
