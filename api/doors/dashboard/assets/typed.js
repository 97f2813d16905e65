// @ts-check
'use strict';

/*
 * What is typed or chosen is never replaced by an answer: not by one to what was sent before it, not by news, not by
 * the page that a link asked for. All that htmx puts into a page passes here. A form is left alone as a whole, with the
 * copies and keys that are hidden in it. What it did not take is asked for again; what saves itself brings it with its
 * next save.
 */
(() => {
  /** Drafts come back by themselves into whatever takes the place of their form (composer.js). */
  const isDraft = (/** @type {Element} */ field) => field.matches('[data-draft]');
  /** What is new each time it is rendered, or follows what is shown. */
  const isNoContent = (/** @type {string} */ name) => /^(csrf$|once$|confirmed$|begun_under$|was\.)/.test(name);
  /** @param {HTMLInputElement} field */
  const valueOf = (field) => {
    if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map(({ value }) => value);
    if (/^(checkbox|radio)$/.test(field.type)) return [field.value, field.checked];
    return field.type === 'file' ? [...(field.files ?? [])].map(({ name, size }) => [name, size]) : field.value;
  };
  /**
   * Its fields, but for what goes along with one request.
   *
   * @param {HTMLFormElement} form @returns {HTMLInputElement[]}
   */
  const fieldsOf = (form) => [...form.elements].filter(ui.isField).filter((field) => !field.matches('[data-once]'));
  /** @param {readonly HTMLInputElement[]} fields */
  const say = (fields) =>
    JSON.stringify(fields.filter(({ name }) => !isNoContent(name)).map((field) => [field.name, valueOf(field)]));
  /** What a form says. @param {HTMLFormElement} form */
  const contentOf = (form) => say(fieldsOf(form));
  /** Whether a field says something else than the page did. @param {Element} field */
  const isChanged = (field) => {
    if (!(field instanceof HTMLElement) || field.matches('[type=hidden]')) return false;
    if (field instanceof HTMLSelectElement)
      return [...field.options].some(({ selected, defaultSelected }, index) =>
        // Where no option is chosen by the page, the browser shows the first one.
        field.querySelector('option[selected]') ? selected !== defaultSelected : selected && index > 0,
      );
    if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
    if (!(field instanceof HTMLInputElement)) return false;
    if (/^(checkbox|radio)$/.test(field.type)) return field.checked !== field.defaultChecked;
    return field.value !== field.defaultValue;
  };

  /** What the server has of a form: as it was shown, or sent and answered. @type {WeakMap<Node, string>} */
  const known = new WeakMap();
  /** Forms that something came for which they did not take. @type {WeakSet<Node>} */
  const passed = new WeakSet();
  /** @param {Node} node */
  const learn = (node) => {
    if (!(node instanceof HTMLFormElement)) return;
    known.set(node, contentOf(node));
    passed.delete(node);
  };
  /** @param {HTMLFormElement} form */
  const isNewer = (form) =>
    known.has(form) ? known.get(form) !== contentOf(form) : fieldsOf(form).some((field) => isChanged(field));
  document.addEventListener('htmx:load', ({ detail: { elt } }) => {
    for (const form of ui.all('form', elt.parentElement ?? document))
      // The browser may have put back what was typed before a reload.
      if (form instanceof HTMLFormElement && !known.has(form) && !isNewer(form)) learn(form);
  });

  /**
   * What an answer knows: what its form said when it was asked for, and what stood in the part that it is for.
   *
   * @typedef {object} Asked
   * @property {HTMLFormElement | null} form
   * @property {string} content
   * @property {Map<HTMLFormElement, string>} inPart
   * @property {boolean} [isPassed]
   */
  /** @type {WeakMap<XMLHttpRequest, Asked>} */
  const asked = new WeakMap();
  /** The answer that is being put in. @type {Asked | undefined} */
  let current;
  /** The forms of which a part has fields. @param {Element} part */
  const formsOf = (part) =>
    /** @type {HTMLFormElement[]} */ ([part.closest('form'), ...ui.all('form', part)].filter(Boolean));
  /** @param {HTMLFormElement} form @param {Element} part */
  const contentIn = (form, part) => say(fieldsOf(form).filter((field) => part.contains(field) && !isDraft(field)));
  /** What a page asks for by itself knows nothing of its forms. @param {HtmxDetail} detail */
  const isOwn = ({ requestConfig: { triggeringEvent: event } }) =>
    event !== undefined && !['refresh', 'hx:poll:trigger'].includes(event.type);
  document.addEventListener('htmx:beforeRequest', ({ detail }) => {
    const { elt, target, xhr } = detail;
    if (!isOwn(detail)) return;
    const form = elt.closest('form');
    const sent = form && new FormData(form);
    const one = {
      form,
      content: form ? contentOf(form) : '',
      inPart: new Map(formsOf(target).map((each) => [each, contentIn(each, target)])),
    };
    asked.set(xhr, one);
    if (!form || elt !== form) return;
    // Before the answer is told to anybody.
    xhr.addEventListener('readystatechange', () => {
      if (xhr.readyState !== XMLHttpRequest.DONE || !ui.isDone(xhr)) return;
      known.set(form, one.content);
      // Where the answer is not taken: what was saved and is taken back by now is a change again.
      for (const was of fieldsOf(form)) {
        if (!was.name.startsWith('was.')) continue;
        const name = was.name.slice(4);
        // Boxes are a list, of which those that are not ticked are not sent.
        const isList = ui.one(`[type=checkbox][name="${CSS.escape(name)}"]`, form) !== null;
        was.value = isList ? JSON.stringify(sent?.getAll(name)) : String(sent?.get(name) ?? '');
      }
    });
  });

  /** Whether a form has something to lose by what is being put in. @param {HTMLFormElement} form */
  const isKept = (form) => {
    if (current?.form === form) return current.content !== contentOf(form);
    const hasFocus = ui.isField(document.activeElement) && document.activeElement.form === form;
    return hasFocus || isNewer(form) || form.matches('[data-unsaved], :has([aria-invalid], [role="alert"])');
  };
  if (window.Idiomorph) {
    const { callbacks } = window.Idiomorph.defaults;
    callbacks.beforeNodeMorphed = (node) => {
      if (!(node instanceof HTMLFormElement) || !isKept(node)) return true;
      passed.add(node);
      if (current?.form === node) current.isPassed = true;
      return false;
    };
    callbacks.afterNodeMorphed = learn;
    callbacks.beforeNodeRemoved = (node) =>
      !(node instanceof Element) ||
      ![node, ...ui.all('form', node)].some((each) => each instanceof HTMLFormElement && isKept(each));
    // What was opened stays open.
    callbacks.beforeAttributeUpdated = (name, node) =>
      !(name === 'open' && (node instanceof HTMLDetailsElement || node instanceof HTMLDialogElement));
  }
  /* What takes the place of a part, with what was typed into it since it was asked for. */
  document.addEventListener('htmx:beforeSwap', ({ detail }) => {
    const { target, xhr, requestConfig } = detail;
    const elt = requestConfig.elt;
    current = asked.get(xhr);
    const how = detail.swapOverride ?? elt.closest('[hx-swap]')?.getAttribute('hx-swap') ?? '';
    if (!detail.shouldSwap || how === 'none') return;
    const forms = formsOf(target).filter((form) => !how.startsWith('morph') || !target.contains(form));
    if (!forms.some((form) => (current ? current.inPart.get(form) !== contentIn(form, target) : isKept(form)))) return;
    if (current?.form === elt && requestConfig.verb !== 'get') {
      // It is done, and what was typed since is another one of its kind.
      detail.swapOverride = 'none';
      const once = ui.isDone(xhr) && ui.field(current.form, 'once');
      if (once) once.value = ui.newKey();
    } else {
      detail.shouldSwap = false;
      if (current) current.isPassed = true;
    }
  });
  /* Whatever asks for a part of its form, or for another page, stores nothing: it is asked again with what is new. */
  document.addEventListener('htmx:afterRequest', ({ detail: { xhr, requestConfig } }) => {
    const one = asked.get(xhr);
    const { elt, triggeringEvent } = requestConfig;
    if (!one?.isPassed || one.form === elt) return;
    one.isPassed = false;
    if (elt.matches('a, button')) elt.click();
    else if (triggeringEvent) elt.dispatchEvent(new Event(triggeringEvent.type, { bubbles: true }));
  });
  /* What was typed and taken back is not sent, so it is asked for what did not come. */
  document.addEventListener('focusout', ({ target }) => {
    const form = ui.isField(target) ? target.form : null;
    if (!form || !passed.has(form)) return;
    setTimeout(() => {
      if (!passed.has(form) || isKept(form)) return;
      passed.delete(form);
      if (form.matches('[hx-trigger*="change"]')) form.dispatchEvent(new Event('change', { bubbles: true }));
      else document.dispatchEvent(new CustomEvent('live', { detail: { type: 'all' } }));
    });
  });
  window.typed = { contentOf, isChanged, isNewer };
})();
