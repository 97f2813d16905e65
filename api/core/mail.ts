import type { Logger } from 'pino';
import type { Config } from './config';
import { AppError } from './http/errors';

/** A mail in plain text. */
interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mail through the server of `SMTP_URL`. */
export interface Mail {
  /** Resolves once the server has taken it. Throws the 503 where it does not. */
  send(letter: Letter): Promise<void>;
}

/** A person waits: a server that is silent for so long is away. */
const maxSilenceMs = 8_000;

/** Returns how mail is sent, or null where the installation has no mail. */
export function createMail({ smtpUrl, mailFrom, baseUrl }: Config, logger: Logger): Mail | null {
  if (smtpUrl === '') return null;
  const from = mailFrom || `Msgdesk <msgdesk@${new URL(baseUrl).hostname}>`;
  return {
    async send(letter) {
      // Loaded with the first mail: most processes send none.
      const { createTransport } = await import('nodemailer');
      const limits = { connectionTimeout: maxSilenceMs, greetingTimeout: maxSilenceMs, socketTimeout: maxSilenceMs };
      const transport = createTransport({ url: smtpUrl, ...limits }, { from });
      try {
        await transport.sendMail(letter);
      } catch (error) {
        const { code } = error as { code?: unknown };
        logger.error({ event: 'mail.failed', code }, 'a mail was not taken by the server of SMTP_URL');
        throw new AppError('unavailable', 'The mail could not be sent. Try again later.', { retryAfter: 60 });
      } finally {
        transport.close();
      }
    },
  };
}
