// @ts-check
'use strict';

/* Files of a reply: chosen, dropped or pasted, uploaded at once, and sent with the text. */
const attached = (() => {
  /**
   * A file and its row. The row stays the same element, and its button where it is, when the upload ends: a click in
   * that moment is not lost.
   * What was refused says why, until it is taken away.
   * @typedef {{ ready: UploadedFile | null; isRefused?: boolean; readonly item: HTMLLIElement }} Attachment
   */
  /** By conversation. @type {Map<string, readonly Attachment[]>} */
  const files = new Map();
  const current = () => inbox.open()?.dataset.id ?? '';
  /* What is uploaded stays with the draft of its conversation, in this tab, until it is sent. */
  /** @param {string} id @returns {readonly Attachment[]} */
  function filesOf(id) {
    const known = files.get(id);
    if (known) return known;
    /** @type {readonly UploadedFile[]} */
    const kept = JSON.parse(sessionStorage.getItem(`files ${id}`) ?? '[]');
    const own = kept.map((file) => attachment(id, file.filename, file));
    files.set(id, own);
    return own;
  }

  /** As what a file is sent, by what the server says of kinds. @param {UploadedFile} file */
  function kindOf({ mime_type: type, size }) {
    /** @type {readonly { kind: string; contents: readonly string[]; maxBytes: number }[]} */
    const kinds = JSON.parse(ui.one('#attach')?.dataset.kinds ?? '[]');
    return kinds.find(({ contents, maxBytes }) => contents.includes(type) && size <= maxBytes)?.kind ?? 'document';
  }

  /**
   * A message for each file: the text stands below the first one, where it can have one, else it goes by itself.
   *
   * @param {Readonly<Record<string, string>>} values @param {readonly UploadedFile[]} files
   * @returns {{ values: Readonly<Record<string, string>>; file?: UploadedFile }[]}
   */
  function partsOf(values, files) {
    const kinds = files.map(kindOf);
    const captioned = kinds[0] !== undefined && kinds[0] !== 'audio';
    const parts = files.map((file, place) => ({
      values: {
        ...values,
        ...(place > 0 ? { once: ui.newKey() } : {}),
        body: place === 0 && captioned ? (values['body'] ?? '') : '',
        media_id: file.id,
        kind: kinds[place] ?? 'document',
      },
      file,
    }));
    if (files.length > 0 && (captioned || !values['body'])) return parts;
    return [...parts, { values: parts.length > 0 ? { ...values, once: ui.newKey() } : values }];
  }

  function draw() {
    const list = ui.one('#attached');
    const own = filesOf(current());
    const items = own.map(({ item }) => item);
    const isDrawn = list?.children.length === items.length && items.every((item) => item.parentElement === list);
    if (!isDrawn) list?.replaceChildren(...items);
    // A file alone is a message, and nothing is sent before it is here.
    /** @type {HTMLTextAreaElement | null} */
    const field = ui.one('#reply');
    if (field) field.required = !own.some(({ isRefused }) => !isRefused);
    /** @type {HTMLButtonElement | null} */
    const button = ui.one('#composer-form button[type=submit]');
    if (button && field) button.disabled = field.disabled || own.some(({ ready, isRefused }) => !ready && !isRefused);
  }
  /** @param {string} id @param {(all: readonly Attachment[]) => readonly Attachment[]} how */
  function change(id, how) {
    const own = how(filesOf(id));
    files.set(id, own);
    sessionStorage.setItem(`files ${id}`, JSON.stringify(own.flatMap(({ ready }) => ready ?? [])));
    draw();
  }
  /** @param {string} id @param {string} filename @param {UploadedFile | null} ready @returns {Attachment} */
  function attachment(id, filename, ready) {
    const item = document.createElement('li');
    item.className = 'attached-file';
    const name = document.createElement('span');
    name.className = 'cut';
    name.textContent = filename;
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.className = 'button button-small';
    remove.textContent = ui.text('remove');
    remove.setAttribute('aria-label', ui.text('removeFile', { name: filename }));
    const file = { ready, item };
    remove.addEventListener('click', () => change(id, (all) => all.filter((one) => one !== file)));
    if (ready?.picture) item.append(thumbnail(ready.picture));
    item.append(name, remove, ready ? '' : ui.text('uploading'));
    return file;
  }
  /** @param {string} src */
  function thumbnail(src) {
    return Object.assign(document.createElement('img'), { src, alt: '' });
  }
  /* Twice as many points as are shown; small enough to stay with the draft. */
  const thumbPx = 80;
  /** Draws a picture small, by what the policy of the page lets through. @param {File} file */
  async function pictureOf(file) {
    const picture = file.type.startsWith('image/') && (await createImageBitmap(file).catch(() => null));
    if (!picture) return undefined;
    const canvas = document.createElement('canvas');
    const scale = Math.min(1, thumbPx / Math.min(picture.width, picture.height));
    Object.assign(canvas, { width: picture.width * scale, height: picture.height * scale });
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/webp', 0.7);
  }
  /** @param {Iterable<File>} chosen */
  function add(chosen) {
    const id = current();
    for (const file of chosen) {
      const one = attachment(id, file.name, null);
      change(id, (all) => [...all, one]);
      const drawn = pictureOf(file);
      void drawn.then((picture) => picture && one.item.prepend(thumbnail(picture)));
      ui.upload(file).then(
        async (ready) => {
          one.ready = { ...ready, picture: await drawn };
          one.item.lastChild?.remove();
          // The name that it is sent by: the server takes out what no file name may have.
          const name = ui.one('.cut', one.item);
          if (name) name.textContent = ready.filename;
          change(id, (all) => all);
        },
        (error) => {
          one.isRefused = true;
          one.item.classList.add('is-refused');
          const why = Object.assign(document.createElement('span'), { role: 'alert', className: 'bad' });
          one.item.lastChild?.replaceWith(why);
          why.append(error.message);
          change(id, (all) => all);
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
    inbox.open()?.classList.toggle('is-dropping', mayAdd());
  });
  for (const name of /** @type {const} */ (['dragleave', 'drop', 'dragend']))
    document.addEventListener(name, (event) => {
      const to = event.relatedTarget;
      if (name !== 'dragleave' || !(to instanceof Node) || !inbox.open()?.contains(to))
        inbox.open()?.classList.remove('is-dropping');
    });
  document.addEventListener('drop', (event) => {
    const dropped = [...(event.dataTransfer?.files ?? [])];
    if (dropped.length === 0 || !ui.around(event, '#open')) return;
    event.preventDefault();
    if (mayAdd()) add(dropped);
  });

  return {
    partsOf,
    draw,
    /** What is ready of the open conversation; it is sent from here on. @returns {UploadedFile[]} */
    take() {
      const ready = filesOf(current()).flatMap((one) => one.ready ?? []);
      change(current(), (all) => all.filter((one) => !one.ready && !one.isRefused));
      return ready;
    },
    /** Brings back what was not sent to a conversation. @param {string} id @param {readonly UploadedFile[]} back */
    put: (id, back) => change(id, (all) => [...back.map((file) => attachment(id, file.filename, file)), ...all]),
    /** Attaches files that are here already, each once. @param {readonly UploadedFile[]} more */
    include: (more) =>
      change(current(), (all) => [
        ...all,
        ...more
          .filter(({ id }) => !all.some(({ ready }) => ready?.id === id))
          .map((file) => attachment(current(), file.filename, file)),
      ]),
  };
})();
document.addEventListener('htmx:afterSettle', attached.draw);
attached.draw();
