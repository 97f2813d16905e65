// @ts-check
/* Passkeys: a button asks the browser for one, and the form sends what it gives. */
(() => {
  'use strict';

  /** @param {HTMLButtonElement} button */
  async function use(button) {
    const { form } = button;
    const field = form?.querySelector('[data-passkey-answer]');
    if (!form || !(field instanceof HTMLInputElement)) return;
    const options = JSON.parse(button.dataset['passkey'] ?? '{}');
    try {
      const given =
        button.dataset['making'] === undefined
          ? await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
          : await navigator.credentials.create({
              publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
            });
      field.value = JSON.stringify(given);
      form.submit();
    } catch {
      button.textContent = said.texts.passkeyFailed;
    }
  }

  for (const button of document.querySelectorAll('button[data-passkey]')) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.disabled = typeof PublicKeyCredential === 'undefined';
    button.addEventListener('click', () => void use(button));
  }
})();
