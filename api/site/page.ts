import { PHOTOS_MAX } from '../../models/vision/image-input';
import type { ClientBundle } from './client-bundle';

/** What the page is told with itself. */
export interface PageFacts {
  readonly imageBytesMax: number;
  /** Whether this service has a key and photos of its own for anyone who opens the page. */
  readonly demo: boolean;
}

/**
 * The document at `/`. It names nothing but files of its own service, holds no script and no style, and its addresses are
 * relative, so that it also works below a path of a proxy.
 */
export const page = (
  { script, style, icon }: ClientBundle,
  { imageBytesMax, demo }: PageFacts,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Identify an item from a photo, and search the catalog.">
<title>Loupe</title>
<link rel="icon" type="image/svg+xml" href="assets/${icon.name}">
<link rel="stylesheet" href="assets/${style.name}">
<script type="module" src="assets/${script.name}"></script>
</head>
<body>
<div id="loupe" data-image-bytes-max="${imageBytesMax}" data-photos-max="${PHOTOS_MAX}" data-demo="${demo ? 'yes' : 'no'}"></div>
<noscript>This page needs JavaScript. Everything on it can also be asked of the API: see <a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;
