import type { Deps } from './deps';

/** A bar on stderr where that is a terminal; elsewhere nothing, so that logs stay readable. */
interface Progress {
  /** `share` between 0 and 1. */
  show(count: number, share: number): void;
  end(): void;
}

const width = 30;

/** Makes a bar that counts `what`. */
export function createProgress(what: string, draw: Deps['draw']): Progress {
  const started = Date.now();
  let shown = false;
  return {
    show(count, share) {
      const part = Math.min(1, Math.max(0, share));
      const filled = Math.round(part * width);
      const seconds = (Date.now() - started) / 1000;
      const rate = seconds > 0 ? Math.round(count / seconds) : 0;
      shown =
        draw(
          `\r[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ` +
            `${Math.round(part * 100)} %  ${count} ${what}, ${rate} per second `,
        ) || shown;
    },
    end() {
      if (shown) draw('\n');
      shown = false;
    },
  };
}
