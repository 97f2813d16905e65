/** Files of forms. */
export const files = {
  kinds: { image: 'Picture', video: 'Video', document: 'Document' },
  hint: 'It is uploaded as soon as you choose it.',
  unnamed: 'A file',
  chosen: (name: string) => `${name} is chosen. Choose another one to replace it.`,
};
