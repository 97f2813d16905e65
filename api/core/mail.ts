import type { Logger } from 'pino';
import type { Config } from './config';

/** A mail in plain text. */
interface PlainMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mail through the server of `SMTP_URL`. */
export interface Mail {
  /** Returns whether the server has taken it. */
  send(content: PlainMail): Promise<boolean>;
}

/** A mail server that is silent for this long counts as away. */
const maxSilenceMs = 8_000;
/** The time limit of one mail, even if the server answers slowly all the time. */
const maxMailMs = 30_000;

/** Returns how mail is sent, or null where the installation has no mail. */
export function createMail({ smtpUrl, mailFrom, baseUrl }: Config, logger: Logger): Mail | null {
  if (smtpUrl === '') return null;
  const from = mailFrom || `Msgdesk <msgdesk@${new URL(baseUrl).hostname}>`;
  return {
    async send(content) {
      // Loaded with the first mail: most processes send none.
      const { createTransport } = await import('nodemailer');
      const signal = AbortSignal.timeout(maxMailMs);
      const tooSlow = new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('the server took too long'))),
      );
      const limits = { connectionTimeout: maxSilenceMs, greetingTimeout: maxSilenceMs, socketTimeout: maxSilenceMs };
      const transport = createTransport({ url: smtpUrl, ...limits }, { from });
      try {
        await Promise.race([transport.sendMail(content), tooSlow]);
        return true;
      } catch (error) {
        const { code } = error as { code?: unknown };
        logger.error({ event: 'mail.failed', code }, 'a mail was not taken by the server of SMTP_URL');
        return false;
      } finally {
        transport.close();
      }
    },
  };
}
