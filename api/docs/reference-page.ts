import type { ReferenceFiles } from './reference-files';

/** What the reference may load, run and talk to: this service, and the icons that its style sheet holds. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The document at `/docs`; it holds no script and no style, and its addresses are relative. */
export const referencePage = ({
  library,
  libraryStyle,
  script,
  style,
  icon,
}: ReferenceFiles): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Reference of the Loupe API: identify a bag or a watch from a photo, and search the catalog.">
<title>Loupe API reference</title>
<link rel="icon" type="image/svg+xml" href="docs/${icon.name}">
<link rel="stylesheet" href="docs/${libraryStyle.name}">
<link rel="stylesheet" href="docs/${style.name}">
<script defer src="docs/${library.name}"></script>
<script defer src="docs/${script.name}"></script>
</head>
<body>
<a class="skip" href="#reference">Skip to the reference</a>
<header class="bar">
<a class="home" href="./">Loupe</a>
<span>API reference</span>
<a class="document" href="openapi.json">openapi.json</a>
</header>
<div class="columns">
<nav class="index" aria-label="Endpoints">
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search the endpoints" aria-controls="endpoints" autocomplete="off">
<p id="found" class="found" role="status"></p>
<details id="endpoints" open><summary>Endpoints</summary></details>
</nav>
<main id="reference" tabindex="-1"><p class="loading">Loading the reference …</p></main>
</div>
<noscript>The reference needs JavaScript; <a href="openapi.json">openapi.json</a> holds all of it.</noscript>
</body>
</html>
`;
