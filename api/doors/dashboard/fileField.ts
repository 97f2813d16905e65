import { fileLimits } from '../../core/files/contents';
import type { FieldErrors } from '../../core/http/errors';
import { type TemplateContent } from '../../services/resources/templates/needs';
import { headerFileKind } from '../../services/resources/templates/parameters';

/** A file of a form (`partials/file`). */
export interface FileGiven {
  readonly name: string;
  readonly label: string;
  readonly value: unknown;
  /** What the file is called; empty where only its id is known. */
  readonly filename: string;
  readonly hint: string;
  /** What a browser offers to choose from. */
  readonly accept: string;
  readonly error: string;
}

const labels = { image: 'Picture', video: 'Video', document: 'Document' } as const;

const uploadHint = 'It is uploaded as soon as you choose it.';

/** Returns the field for the file in the header of a template, with the file of a form; null where it takes none. */
export function fileField(
  name: string,
  template: Pick<TemplateContent, 'components'>,
  { id, filename = '' }: { readonly id: unknown; readonly filename?: string },
  errors: FieldErrors | undefined,
): FileGiven | null {
  const kind = headerFileKind(template);
  if (kind === null) return null;
  const error = (errors?.[name] ?? []).join(' ');
  return {
    name,
    label: labels[kind],
    value: id ?? '',
    filename,
    hint: id ? `${filename || 'A file'} is chosen. Choose another one to replace it.` : uploadHint,
    accept: fileLimits[kind].contents.join(','),
    error,
  };
}
