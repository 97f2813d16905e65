import { fileLimits } from '../../core/files/contents';
import type { FieldErrors } from '../../core/http/errors';
import { type TemplateContent } from '../../services/resources/templates/requiredParts';
import { headerFileKind } from '../../services/resources/templates/parameters';
import type { Html } from './html';
import { words } from './words';

const { files } = words;

/** A file of a form. */
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
    label: files.kinds[kind],
    value: id ?? '',
    filename,
    hint: id ? files.chosen(filename || files.unnamed) : files.hint,
    accept: fileLimits[kind].contents.join(','),
    error,
  };
}

/** One labelled file, uploaded by itself (`attach.js`). */
export function FileField({ name, label, value, filename, accept, hint, error }: FileGiven): Html {
  const refused = error ? { 'aria-invalid': 'true', 'aria-describedby': `${name}-error` } : {};
  return (
    <div class="field">
      <label for={`${name}-file`}>{label}</label>
      <input type="hidden" name={name} value={String(value)} />
      <input type="hidden" name={`${name}_filename`} value={filename} />
      <input id={`${name}-file`} type="file" accept={accept} data-uploads={name} {...refused} />
      <p class="hint" data-uploaded="" role="status">
        {hint}
      </p>
      {error && (
        <p class="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
