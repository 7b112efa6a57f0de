import type { Asset } from '../pages';

/** What the reference is made of: Swagger UI as it is published, and what this service adds to it. */
export interface ReferenceFiles {
  readonly library: Asset;
  readonly libraryStyle: Asset;
  readonly script: Asset;
  readonly style: Asset;
  readonly icon: Asset;
}

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
<meta name="description" content="Reference of the Loupe API: identify an item from a photo, and search the catalog.">
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
