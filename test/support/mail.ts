import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually';

/** A server of mail that keeps what it is given. */
export interface MailServer {
  readonly url: string;
  readonly mails: { readonly to: string; readonly text: string }[];
  /** Waits for the newest mail to this address, and returns the link in it. */
  linkTo(address: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts one on a port of its own. */
export async function startMail(): Promise<MailServer> {
  const mails: { to: string; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
        mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', text });
        done();
      });
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    mails,
    linkTo: (address) =>
      eventually(async () => {
        const link = /http\S+\/link\/\S+/.exec(mails.findLast(({ to }) => to === address)?.text ?? '')?.[0];
        if (!link) throw new Error(`no link was mailed to ${address}`);
        return Promise.resolve(link);
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
