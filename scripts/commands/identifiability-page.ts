import type { CatalogPictures } from '../../models/indexing/catalog-pictures';
import type { NamedProduct } from '../../models/indexing/identifiability';
import type { Identifiability } from '../../models/indexing/identifiability-service';
import type { Pair, WorstFindings } from '../../models/indexing/worst-findings';
import {
  differencesOf,
  distanceText,
  headlineOf,
  LISTS,
  labelOf,
  remarksOf,
  summaryOf,
  VERDICT_TEXTS,
} from './describe-identifiability';

/** Longest side in pixels: enough to see a clasp, some ten kilobytes. */
const THUMBNAIL_SIDE = 320;

/** One HTML document that needs nothing beside it: the summary, and the worst pairs with their pictures. */
export async function identifiabilityPage(
  result: Identifiability,
  worst: WorstFindings,
  pictures: Pick<CatalogPictures, 'thumbnail'>,
): Promise<string> {
  const { missing } = worst;
  const rows = summaryOf(result).map(
    ([verdict, products, share]) =>
      `<tr><th scope="row">${verdict}</th><td>${products}</td><td>${share}</td></tr>`,
  );
  const unseen = missing.map(
    ({ product, verdict }) => `<li>${nameOf(product)} ${VERDICT_TEXTS[verdict]}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>Loupe: what to photograph next</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>What to photograph next</h1>
<p>${escaped(headlineOf(result))}</p>
<table>
<thead><tr><th scope="col">verdict</th><th scope="col">products</th><th scope="col">share</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>
${remarksOf(result)
  .map((remark) => `<p>${remark}</p>`)
  .join('\n')}
${await pairSection(LISTS.confused, worst.confused, pictures)}
${unseen.length === 0 ? '' : section(LISTS.missing, `<ul>${unseen.join('\n')}</ul>`)}
${await pairSection(LISTS.singles, worst.singles, pictures)}
</main>
</body>
</html>
`;
}

const STYLE = `
:root { font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; font-size: 1.25rem; }
h3 { margin: 0 0 0.25rem; font-size: 1rem; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: left; border-bottom: 1px solid #8886; }
td { font-variant-numeric: tabular-nums; text-align: right; }
th[scope="row"] { font-weight: normal; }
article { margin: 1rem 0; padding: 1rem; border: 1px solid #8886; border-radius: 0.5rem; }
article p { margin: 0 0 0.75rem; }
article p::first-letter { text-transform: uppercase; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
figure { margin: 0; }
img, .gone { box-sizing: border-box; width: 100%; height: 16rem; object-fit: contain; background: #fff; border-radius: 0.25rem; }
.gone { display: grid; place-items: center; color: #444; }
code { font-size: 0.8rem; overflow-wrap: anywhere; }
`;

const section = (heading: string, content: string): string =>
  `<section>\n<h2>${heading}</h2>\n${content}\n</section>`;

async function pairSection(
  heading: string,
  pairs: readonly Pair[],
  pictures: Pick<CatalogPictures, 'thumbnail'>,
): Promise<string> {
  if (pairs.length === 0) return '';
  const articles: string[] = [];
  for (const pair of pairs) {
    const { product, nearest } = pair;
    const [own, other] = nearest.pictures;
    const ways = pair.isMutual
      ? `${VERDICT_TEXTS[pair.verdict]}, and the other way round`
      : VERDICT_TEXTS[pair.verdict];
    const beside =
      nearest.ownDistance === null
        ? ''
        : `; the nearest other picture of the first is ${distanceText(nearest.ownDistance)} away`;
    articles.push(`<article>
<h3>${escaped(labelOf(product))} / ${escaped(labelOf(nearest.product))}</h3>
<p>${ways}. ${distanceText(nearest.distance)} apart${beside}. They differ in ${escaped(differencesOf(pair).join(', '))}.</p>
<div class="pair">
${await figure(product, own, pictures)}
${await figure(nearest.product, other, pictures)}
</div>
</article>`);
  }
  return section(heading, articles.join('\n'));
}

async function figure(
  product: NamedProduct,
  address: string,
  pictures: Pick<CatalogPictures, 'thumbnail'>,
): Promise<string> {
  const thumbnail = await pictures.thumbnail(address, THUMBNAIL_SIDE);
  const picture = thumbnail
    ? `<img alt="${escaped(labelOf(product))}" src="data:image/jpeg;base64,${thumbnail.toString('base64')}">`
    : '<div class="gone">The picture can not be read.</div>';
  return `<figure>${picture}<figcaption>${nameOf(product)}<br><code>${escaped(address)}</code></figcaption></figure>`;
}

const nameOf = (product: NamedProduct): string =>
  `${escaped(labelOf(product))} <code>${escaped(product.id)}</code>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text within an element or a quoted attribute. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (each) => ENTITIES[each] ?? each);
