import busboy from 'busboy';
import type { Request, Response } from 'express';
import { cut } from '../../core/text/cut';
import { maxFileBytes } from '../../core/files/contents';
import { AppError, invalidField, parseError } from '../../core/http/errors';
import { Upload } from '../../core/http/upload';
import { stateOf } from './request';
import { reason } from '../../core/http/reasons';

/** The event of a request whose credential may upload: its body may take the time of a file. */
export const uploadBegins = 'uploadBegins';

/** What a form has around its file. */
const maxFormBytes = 65_536;

/**
 * Returns the file of a multipart request as soon as it begins; the bytes are read by who uses it. What says beforehand
 * that it is larger than any file may be is refused unread.
 */
export function openUpload(req: Request, res: Response): Promise<{ readonly file: Upload }> {
  stateOf(res).endsEarly = true;
  req.emit(uploadBegins);
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'multipart/form-data')
    throw new AppError('unsupported_media_type', `Unsupported media type "${cut(type, 100)}" in request.`);
  if (Number(req.headers['content-length'] ?? 0) > maxFileBytes + maxFormBytes)
    throw new AppError('too_large', reason('bodyTooLarge'));

  return new Promise((resolve, reject) => {
    const broken = (): void => reject(parseError('The multipart body is malformed.'));
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: req.headers,
        defParamCharset: 'utf8',
        limits: { fields: 20, fieldSize: maxFormBytes, files: 2, parts: 22 },
      });
    } catch {
      broken();
      return;
    }
    parser.on('file', (name: string | undefined, bytes, info) => {
      if (name !== 'file') {
        bytes.resume();
        return;
      }
      // When the client goes away, the stream ends with an error for its reader.
      req.once('close', () => req.complete || bytes.destroy(new Error('the request was broken off')));
      resolve({ file: new Upload(info.filename ?? '', info.mimeType, bytes) });
    });
    parser.once('error', broken);
    parser.once('close', () => reject(invalidField('file', reason('noFile'))));
    req.once('error', broken);
    req.pipe(parser);
  });
}
