/* global SwaggerUIBundle */
// @ts-check

/** The reference in the browser: Swagger UI over the document of this service. Light or dark as the system is. */
void start();

async function start() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
  const reference = /** @type {HTMLElement} */ (document.getElementById('reference'));
  nameChoices(reference);
  try {
    const answer = await fetch('openapi.json');
    if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
    // Calls go only to the server of this page.
    const servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
    const spec = { ...(await answer.json()), servers };
    reference.textContent = '';
    SwaggerUIBundle({
      spec,
      domNode: reference,
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      defaultModelRendering: 'example',
      displayRequestDuration: true,
      filter: true,
      plugins: [{ fn: { opsFilter: searched } }],
      // Nothing is sent to other hosts, and a key is not kept beyond the page.
      validatorUrl: null,
      persistAuthorization: false,
    });
  } catch (failure) {
    reference.textContent = `The reference could not be loaded (${String(failure)}). Load this page again.`;
  }
}

/** The endpoints that have every word of a search in their address, texts, parameters or fields, by tag. */
function searched(tags, search) {
  const words = search.toLowerCase().split(/\s+/);
  const isFound = (endpoint) => {
    const text = JSON.stringify(endpoint).toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tags
    .map((tag) => tag.update('operations', (endpoints) => endpoints.filter(isFound)))
    .filter((tag) => tag.get('operations').size > 0);
}

/** Swagger UI gives its inputs no accessible names for people who can't see the text beside them. */
function nameChoices(reference) {
  const name = (selector, label) => {
    for (const each of reference.querySelectorAll(`${selector}:not([aria-label])`))
      each.setAttribute('aria-label', label);
  };
  new MutationObserver(() => {
    name('.operation-filter-input', 'Search the endpoints');
    const search = reference.querySelector('.operation-filter-input');
    if (search && search.placeholder !== 'Search') search.placeholder = 'Search';
    for (const heading of reference.querySelectorAll('h3')) {
      if (!heading.textContent.includes('No operations defined')) continue;
      heading.textContent = 'No endpoint has all of these words.';
      heading.setAttribute('role', 'status');
    }
    name('select.examples-select-element', 'Example');
    name('select', 'Choose a value');
    for (const code of reference.querySelectorAll('.microlight:not([tabindex])')) code.tabIndex = 0;
  }).observe(reference, { childList: true, subtree: true });
}
