/* global SwaggerUIBundle */
// @ts-check

/** The reference in the browser: Swagger UI over the document of this service. */
async function start() {
  const domNode = /** @type {HTMLElement} */ (document.getElementById('reference'));
  try {
    const answer = await fetch('openapi.json');
    if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
    // The address that this page came from is the server: calls from here go nowhere else.
    const servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
    const spec = { ...(await answer.json()), servers };
    domNode.textContent = '';
    // Nothing is sent to other hosts, and a key is not kept beyond the page.
    const confined = { validatorUrl: null, persistAuthorization: false };
    SwaggerUIBundle({ spec, domNode, deepLinking: true, defaultModelsExpandDepth: 0, ...confined });
  } catch (failure) {
    domNode.textContent = `The reference could not be loaded (${String(failure)}). Load this page again.`;
  }
}

void start();
