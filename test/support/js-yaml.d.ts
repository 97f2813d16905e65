/** The part of js-yaml that tests use; the package brings no types. */
declare module 'js-yaml' {
  /** Reads a document as data; refuses tags that would make other objects. */
  export function safeLoad(text: string): unknown;
}
