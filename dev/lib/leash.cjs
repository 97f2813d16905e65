'use strict';

// Loaded before a child's own code: when the launcher is gone, however it ended, the child stops by itself.
if (process.channel) {
  // The channel alone must not keep a finished child alive.
  process.channel.unref();
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    // Longer than any service takes to stop in order.
    setTimeout(() => process.exit(1), 45000).unref();
  });
}
