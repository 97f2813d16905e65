import type { ConsentView } from '../../services/identity/oauth/consent';
import { isLoopback, redirectTarget } from '../../services/identity/oauth/redirectUris';
import { CardLink } from '../dashboard/cardParts';
import { Filled } from '../dashboard/filled';
import type { Html } from '../dashboard/html';
import { words } from '../dashboard/words';

const { consent, scopes: said } = words;

interface ConsentGiven {
  readonly view: ConsentView;
  readonly action: string;
  readonly csrf: string;
  readonly signIn: string;
}

/** The consent page (RFC 9700 section 4.16): who asks, for what, where the answer goes. Its form needs no script. */
export function Consent({ view, action, csrf, signIn }: ConsentGiven): Html {
  const { scopes } = view;
  const canGrant = scopes.some(({ held }) => held);
  const sends = scopes.some(({ name, held }) => held && (name === 'chat.send_message' || name === 'macro.view'));
  return (
    <>
      <h1>{consent.heading(view.clientName)}</h1>
      <p class="soft">
        <Filled text={consent.asks} parts={{ workspace: <strong>{view.workspaceName}</strong> }} />
      </p>
      <dl class="facts">
        <dt>{consent.signedIn}</dt>
        <dd>
          {view.memberName} ({view.memberEmail}){' '}
          <a class="whole" href={signIn}>
            {consent.notYou}
          </a>
        </dd>
        {view.clientHost && (
          <>
            <dt>{consent.describes}</dt>
            <dd>
              <strong>{view.clientHost}</strong>
            </dd>
          </>
        )}
        <dt>{consent.back}</dt>
        <dd>
          <strong>{redirectTarget(view.redirectUri)}</strong>
        </dd>
      </dl>
      {isLoopback(view.redirectUri) && (
        <div class="note note-warn">
          <p>
            <strong>{consent.ownDevice.lead}</strong> {consent.ownDevice.text}
          </p>
        </div>
      )}
      {!canGrant && (
        <div class="note note-bad" role="alert">
          <p>{consent.nothing}</p>
        </div>
      )}
      <form method="post" action={action}>
        <input type="hidden" name="request" value={view.id} />
        <input type="hidden" name="csrf" value={csrf} />
        <fieldset>
          <legend>{consent.may}</legend>
          <ul class="choices">
            {scopes.map(({ name, held }) => (
              <li>
                <label class={held ? 'choice' : 'choice choice-off'}>
                  <input type="checkbox" name="scope" value={name} checked={held} disabled={!held} />{' '}
                  <span class="choice-name">{said[name]}</span>{' '}
                  <span class="choice-detail">
                    <code>{name}</code>
                    {!held && consent.lacks}
                  </span>
                </label>
              </li>
            ))}
          </ul>
        </fieldset>
        <div class="note">
          <p>
            {sends && `${consent.approved} `}
            {consent.never}
          </p>
        </div>
        <div class="actions">
          <button class="button" type="submit" name="decision" value="deny">
            {consent.cancel}
          </button>
          {canGrant && (
            <button class="button button-main" type="submit" name="decision" value="allow">
              {consent.allow}
            </button>
          )}
        </div>
      </form>
    </>
  );
}

/** What is told when nothing may be sent back to the application. */
export function Problem({ message, signIn }: { readonly message: string; readonly signIn: string | null }): Html {
  const { title, other, close } = consent.problem;
  return (
    <>
      <h1>{title}</h1>
      <div class="note note-bad" role="alert">
        <p>{message}</p>
      </div>
      {signIn === null ? <p class="soft small">{close}</p> : <CardLink href={signIn} text={other} />}
    </>
  );
}
