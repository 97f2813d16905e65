import { runCli } from './cli';

/** Entry of `npm run admin`. */
async function main(): Promise<void> {
  // The code is set rather than forced, so that a pipe on stdout is written out.
  process.exitCode = await runCli(process.argv.slice(2), {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
  });
}

void main();
