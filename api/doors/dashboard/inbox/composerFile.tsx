import { Hidden } from '../formParts';
import { Icon, type Html } from '../html';
import { words } from '../words';
import { maxPlainFile, shownKinds } from './messageForm';

const { files: said } = words.composer;

/** What attaches files where there are scripts (attach.js). */
export function Attach({ isDisabled }: { readonly isDisabled: boolean }): Html {
  const kinds = JSON.stringify(shownKinds);
  return (
    <>
      <label class="button-icon scripted-only" for="attach" title={said.how}>
        <Icon name="paperclip" label={said.attach} />
      </label>
      <input class="visually-hidden" id="attach" type="file" multiple disabled={isDisabled} data-kinds={kinds} />
    </>
  );
}

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
