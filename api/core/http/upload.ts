import type { Readable } from 'node:stream';
import { Fault, field, type Field } from './fields';
import { reason } from './reasons';

/** A file that a request carries: its bytes come while they are read. */
export class Upload {
  readonly #bytes: Readable;

  constructor(
    /** As the sender calls it, and what the sender says that it is: neither is to be trusted. */
    readonly filename: string,
    readonly declared: string,
    bytes: Readable,
  ) {
    this.#bytes = bytes;
  }

  /** Returns the bytes, once. */
  bytes(): Readable {
    return this.#bytes;
  }
}

/** The one file of an operation that takes an upload. */
export const uploadField: Field<Upload> = field<Upload>({ type: 'string', format: 'binary' }, (raw) =>
  raw instanceof Upload ? raw : new Fault(reason('noFile')),
);
