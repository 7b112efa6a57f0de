/* global SwaggerUIBundle */
// @ts-check

/**
 * The reference in the browser: Swagger UI over the document of this service, beside an index of its endpoints that can
 * be searched by address, purpose, parameter and field. Light or dark as the system is.
 */
void start();

async function start() {
  followColourScheme();
  const reference = byId('reference');
  nameChoices(reference);
  try {
    const description = await loadDescription();
    const ui = show(description, reference);
    fillIndex(description, ui);
  } catch (failure) {
    reference.textContent = `The reference could not be loaded (${String(failure)}). Load this page again.`;
  }
}

function followColourScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

/** The document, with the address that this page came from as its server: calls from here go nowhere else. */
async function loadDescription() {
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
  return {
    ...(await answer.json()),
    servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }],
  };
}

function show(spec, element) {
  element.textContent = '';
  return SwaggerUIBundle({
    spec,
    domNode: element,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelRendering: 'example',
    displayRequestDuration: true,
    // Nothing leaves this service, and a key is gone with the page.
    validatorUrl: null,
    persistAuthorization: false,
  });
}

/** Swagger UI leaves its choices without a name for whoever does not see what stands beside them. */
function nameChoices(reference) {
  new MutationObserver(() => {
    for (const choice of reference.querySelectorAll('select:not([aria-label])')) {
      const examples = choice.classList.contains('examples-select-element');
      choice.setAttribute('aria-label', examples ? 'Example' : 'Choose a value');
    }
    for (const code of reference.querySelectorAll('.microlight:not([tabindex])')) code.tabIndex = 0;
  }).observe(reference, { childList: true, subtree: true });
}

function fillIndex({ paths, tags }, ui) {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      text: JSON.stringify([method, path, operation]).toLowerCase(),
      element: entryOf(method, path, operation, ui),
    })),
  );
  const groups = tags.map(({ name, description }) => {
    const list = element('ul');
    const own = entries.filter(({ tag }) => tag === name);
    list.append(...own.map((entry) => entry.element));
    const section = element('section');
    const heading = element('h2', name);
    heading.title = description;
    section.append(heading, list);
    return { section, own };
  });
  const index = byId('endpoints');
  index.append(...groups.map(({ section }) => section));
  // On a small screen the reference comes first; a search shows what it finds.
  index.open = !matchMedia('(max-width: 56rem)').matches;
  listenToSearch(entries, groups);
}

function entryOf(method, path, { operationId, summary, tags, deprecated }, ui) {
  const link = element('a');
  link.href = `#/${encodeURIComponent(tags[0])}/${operationId}`;
  const badge = element('span', method);
  badge.className = `method ${method}`;
  const name = element('span', summary.replace(/ \(alias of .*\)$/, ''));
  name.className = 'summary';
  const address = element('code', path);
  link.append(badge, name, address);
  if (deprecated) link.className = 'deprecated';
  link.addEventListener('click', () => open(tags[0], operationId, ui));
  const item = element('li');
  item.append(link);
  return item;
}

/** Opens an endpoint and moves to it, also when its address is that of the page already. */
function open(tag, operationId, ui) {
  ui.layoutActions.show(['operations-tag', tag], true);
  ui.layoutActions.show(['operations', tag, operationId], true);
  requestAnimationFrame(() => {
    const target = document.getElementById(`operations-${tag.replace(/ /g, '_')}-${operationId}`);
    target?.scrollIntoView({ block: 'start' });
    target?.querySelector('button')?.focus({ preventScroll: true });
  });
}

function listenToSearch(entries, groups) {
  const search = byId('search');
  const narrow = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { text, element } of entries) element.hidden = !words.every((word) => text.includes(word));
    for (const { section, own } of groups) section.hidden = own.every(({ element }) => element.hidden);
    const found = entries.filter(({ element }) => !element.hidden).length;
    if (words.length > 0) byId('endpoints').open = true;
    byId('found').textContent = words.length === 0 ? '' : `${found} of ${entries.length} endpoints`;
  };
  search.addEventListener('input', narrow);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter')
      entries.find(({ element }) => !element.hidden)?.element.firstElementChild?.click();
  });
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target?.tagName ?? '');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
}

function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function byId(id) {
  return /** @type {any} */ (document.getElementById(id));
}
