import { fileLimits } from '../../../core/files/contents';
import { described, input, required } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { uploadField } from '../../../core/http/upload';
import { fileShape, keepUpload, tooManyUnused } from './uploads';

const sizes = Object.entries(fileLimits)
  .map(([type, { maxBytes }]) => `${type} ${maxBytes >= 1_048_576 ? `${maxBytes / 1_048_576} MB` : '512 kB'}`)
  .join(', ');

/** Uploading files, so that they can be sent. */
export const fileOperations = [
  operation({
    id: 'media.create',
    method: 'POST',
    path: '/api/v1/media/',
    tag: 'Messages',
    summary: 'Upload a file',
    description:
      'Keeps a file to be sent: `multipart/form-data` with the part `file`. A message takes its `id` where it takes ' +
      `a link (\`{"image": {"id": "med_…"}}\`), and so do broadcasts, stages and canned replies. Largest ` +
      `sizes: ${sizes}. ` +
      'What it is, its content says: the platform takes JPEG, PNG, WebP, MP4, 3GPP, AAC, AMR, MP3, Ogg, PDF, text ' +
      'and Office documents. One that nothing uses is removed after seven days.',
    scope: 'chat.send_message',
    body: input({ file: described(required(uploadField), 'The file.') }),
    uploads: true,
    conflicts: {
      when: 'The workspace has as many bytes of files as it may, or as many of uploads that nothing uses.',
      example: String(tooManyUnused),
    },
    status: 201,
    output: fileShape,
    run: async (ctx, { file }) => keepUpload(ctx, file),
  }),
];
