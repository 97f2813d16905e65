import type { Html } from '../html';
import type { TextPart } from './texts';

/** A text as a messenger shows it. Every space of it is shown: none stands between the pieces. */
export function Text({ parts }: { readonly parts: readonly TextPart[] }): Html {
  return (
    <>
      {parts.map(({ text, href, isMention, mark: Mark }) =>
        href ? (
          <a href={href} target="_blank" rel="noopener noreferrer nofollow">
            {text}
          </a>
        ) : isMention ? (
          <span class="mention">{text}</span>
        ) : Mark ? (
          <Mark>{text}</Mark>
        ) : (
          text
        ),
      )}
    </>
  );
}
