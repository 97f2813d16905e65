// @ts-check
'use strict';

/* Files of a reply: chosen, dropped or pasted, uploaded at once, and sent with the text. */
const attached = (() => {
  /** By conversation: what is ready, and what is on its way. @type {Map<string, (UploadedFile | File)[]>} */
  const files = new Map();
  const current = () => inbox.open()?.dataset.id ?? '';
  /** @param {UploadedFile | File} file @returns {file is UploadedFile} */
  const isReady = (file) => !(file instanceof File);
  const megabyte = 1_048_576;

  /** As what a file is sent: what is too large for its own kind goes as a document. @param {UploadedFile} file */
  function kindOf({ mime_type: type, size }) {
    if (/^image\/(jpeg|png)$/.test(type) && size <= 5 * megabyte) return 'image';
    if (/^video\//.test(type) && size <= 16 * megabyte) return 'video';
    if (/^audio\//.test(type) && size <= 16 * megabyte) return 'audio';
    return 'document';
  }

  function draw() {
    const list = ui.one('#attached');
    const own = files.get(current()) ?? [];
    list?.replaceChildren(
      ...own.map((file) => {
        const item = document.createElement('li');
        item.className = 'attached-file';
        const name = document.createElement('span');
        name.className = 'cut';
        name.textContent = isReady(file) ? file.filename : `${file.name} · uploading…`;
        const remove = document.createElement('button');
        remove.type = 'button';
        remove.className = 'button button-small';
        remove.textContent = 'Remove';
        remove.setAttribute('aria-label', `Remove ${isReady(file) ? file.filename : file.name}`);
        remove.addEventListener('click', () => change(current(), (all) => all.filter((one) => one !== file)));
        item.append(name, remove);
        return item;
      }),
    );
    // A file alone is a message, and nothing is sent before it is here.
    /** @type {HTMLTextAreaElement | null} */
    const field = ui.one('#reply');
    if (field) field.required = own.length === 0;
    /** @type {HTMLButtonElement | null} */
    const button = ui.one('#composer-form button[type=submit]');
    if (button && field) button.disabled = field.disabled || own.some((file) => !isReady(file));
  }
  /** @param {string} id @param {(all: (UploadedFile | File)[]) => (UploadedFile | File)[]} how */
  function change(id, how) {
    files.set(id, how(files.get(id) ?? []));
    draw();
  }
  /** @param {Iterable<File>} chosen */
  function add(chosen) {
    const id = current();
    for (const file of chosen) {
      change(id, (all) => [...all, file]);
      ui.upload(file).then(
        (ready) => change(id, (all) => all.map((one) => (one === file ? ready : one))),
        (error) => {
          change(id, (all) => all.filter((one) => one !== file));
          ui.say({ text: `${file.name}: ${error.message}`, kind: 'bad' });
        },
      );
    }
  }

  const mayAdd = () => ui.one('#attach:not(:disabled)') !== null;
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.id !== 'attach') return;
    add([...(target.files ?? [])]);
    target.value = '';
  });
  document.addEventListener('paste', (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0 || !mayAdd()) return;
    event.preventDefault();
    add(pasted);
  });
  document.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files') || !ui.around(event, '#open')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = mayAdd() ? 'copy' : 'none';
  });
  document.addEventListener('drop', (event) => {
    const dropped = [...(event.dataTransfer?.files ?? [])];
    if (dropped.length === 0 || !ui.around(event, '#open')) return;
    event.preventDefault();
    if (mayAdd()) add(dropped);
  });

  return {
    kindOf,
    draw,
    /** What is ready of the open conversation; it is sent from here on. @returns {UploadedFile[]} */
    take() {
      const ready = (files.get(current()) ?? []).filter(isReady);
      change(current(), (all) => all.filter((file) => !isReady(file)));
      return ready;
    },
    /** Brings back what was not sent. @param {readonly UploadedFile[]} back */
    put: (back) => change(current(), (all) => [...back, ...all]),
    /** Attaches files that are here already, each once. @param {readonly UploadedFile[]} more */
    include: (more) =>
      change(current(), (all) => [
        ...all,
        ...more.filter(({ id }) => !all.some((file) => isReady(file) && file.id === id)),
      ]),
  };
})();
document.addEventListener('htmx:afterSettle', attached.draw);
