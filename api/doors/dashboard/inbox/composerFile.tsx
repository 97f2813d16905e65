import { Hidden } from '../formParts';
import type { Html } from '../html';
import { words } from '../words';
import { maxPlainFile } from './messageForm';

const { files: said } = words.composer;

/** The file of a message without scripts, which is sent with its form; one that is here already may be left out. */
export function PlainFile({ values }: { readonly values: Readonly<Record<string, string>> }): Html {
  const { media_id: id, filename = '', kind = '' } = values;
  return (
    <p class="unscripted">
      {id && (
        <label>
          <input type="checkbox" name="media_id" value={id} checked /> {filename}
          <Hidden values={Object.entries({ filename, kind })} />
        </label>
      )}
      <label for="plain-file">{said.one(maxPlainFile / 2 ** 20)}</label>{' '}
      <input id="plain-file" type="file" name="file" />
    </p>
  );
}
