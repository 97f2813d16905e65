import type { AnswerOf } from '../../core/http/shapes';
import type { replyShape } from '../../services/resources/cannedReplies/serializer';
import type { Html } from './html';
import type { Team } from './lookups';
import type { PageRequest } from './page';

/** A suggestion for the text field, offered after a sign and the beginning of a word. */
interface SuggestionGiven {
  readonly id: string;
  readonly sign: '/' | '@';
  readonly word: string;
  readonly insert: string;
  readonly detail: string;
  /** Files that come among those to be sent (attach.js). */
  readonly files?: AnswerOf<typeof replyShape>['files'];
}

export function Suggestion({ id, sign, word, insert, detail, files = [] }: SuggestionGiven): Html {
  return (
    <li
      role="option"
      id={id}
      data-sign={sign}
      data-word={word}
      data-insert={insert}
      data-files={files.length > 0 ? JSON.stringify(files) : undefined}
    >
      <strong>
        {sign}
        {word}
      </strong>{' '}
      <span class="soft cut" dir="auto">
        {detail}
      </span>
    </li>
  );
}

/** The members who can be mentioned, as the list beside a field offers them (complete.js). */
export function Mentionable(given: { page: PageRequest; members: Team['members']; prefix?: string }): Html {
  const { page, members, prefix = '' } = given;
  return (
    <>
      {members
        .filter(({ id, name }) => id !== page.member.id && name !== '')
        .map(({ id, name, email }) => (
          <Suggestion id={`${prefix}member-${id}`} sign="@" word={name} insert={`@${name} `} detail={email} />
        ))}
    </>
  );
}
