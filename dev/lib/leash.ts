// Loaded before a child's own code: when the launcher is gone, however it ended, the child stops by itself.
// Only this child: what it forks (jest its workers, for example) would inherit the option that loaded us.
const own = process.execArgv.indexOf(__filename);
if (own > 0) process.execArgv.splice(own - 1, 2);

/** Longer than any service takes to stop in order. */
const stopMs = 45_000;

if (process.channel) {
  // The channel alone must not keep a finished child alive.
  process.channel.unref();
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), stopMs).unref();
  });
}

export {};
