import type { Html } from './html';

/** What was wrong with the form of a card; its fields refer to it. */
export function CardError({ text }: { readonly text: string }): Html {
  if (!text) return <></>;
  return (
    <div class="note note-bad" role="alert" id="error">
      <p>{text}</p>
    </div>
  );
}

/** What a field says of an error that stands above it. */
export const wrong = (error: string): object => (error ? { 'aria-invalid': 'true', 'aria-describedby': 'error' } : {});

/** The one button of a card's form. */
export function CardButton({ text }: { readonly text: string }): Html {
  return (
    <div class="actions">
      <button class="button button-main" type="submit">
        {text}
      </button>
    </div>
  );
}

/** The way on from a card. */
export function CardLink({ href, text }: { readonly href: string; readonly text: string }): Html {
  return (
    <div class="actions">
      <a class="button button-main" href={href}>
        {text}
      </a>
    </div>
  );
}
