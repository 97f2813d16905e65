import type { Html } from './html';

/** Values that a form sends along. */
function Hidden({ values }: { readonly values: readonly (readonly [name: string, value: string])[] }): Html {
  return (
    <>
      {values.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** What fields were filled with, so that only what was changed is saved. */
export function Was({ was }: { readonly was: readonly (readonly [name: string, was: string])[] }): Html {
  return <Hidden values={was.map(([name, value]) => [`was.${name}`, value] as const)} />;
}
