import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { productId } from '../../scripts/lab/generator/generate-bundle';
import { runLoupe } from '../../scripts/lab/service-processes';
import { ask, BAG, DEMO_SEED, drop, fileOf, PHONE, refuse, useBrowser, WATCH } from './browser';
import { A_BRAND, answerWith, type RankedRow, ranked, TEN_UNSURE, TWO_ITEMS } from './ranked-answers';

const browser = useBrowser();

/** A page with the answer to a photo, or several. */
async function answered(rows: readonly RankedRow[], photos = 1, options = {}): Promise<Page> {
  const page = await browser.visit('', options);
  await answerWith(page, rows);
  const files = await Promise.all([WATCH, BAG].slice(0, photos).map((item) => fileOf(item)));
  await drop(page, ...files);
  await ask(page);
  await page.getByRole('heading', { name: /^(Is it something else|Do you know)/ }).waitFor();
  return page;
}

const cards = (page: Page) => page.getByRole('region', { name: /^(The likeliest of|Or one of)/ });
const chances = (page: Page) =>
  cards(page)
    .getByRole('meter')
    .evaluateAll((meters) => meters.map((meter) => Number(meter.getAttribute('value'))));
const title = (page: Page) => page.locator('.match h2').textContent();

describe('runners-up', () => {
  test('are shown with pictures and chances, and with the chance that it is none of them', async () => {
    const page = await answered([ranked(1, 0.7), ranked(2, 0.15), ranked(3, 0.05)]);
    expect(await title(page)).toBe('Le Vaurelle The Clé 1');
    await page.getByText('about 70 are right').waitFor();
    await page.getByRole('heading', { name: 'Or one of these' }).waitFor();
    expect(await chances(page)).toEqual([0.15, 0.05]);
    expect(await cards(page).locator('img').count()).toBe(2);
    await cards(page).getByText('none of these is 10%').waitFor();
  });

  test('of a brand are its likeliest products, then other products', async () => {
    const page = await answered(A_BRAND);
    expect(await title(page)).toBe('Le Vaurelle');
    await page.getByText('The photo shows this brand; which of its products').waitFor();
    await page.getByRole('heading', { name: 'The likeliest of Le Vaurelle' }).waitFor();
    await page.getByRole('heading', { name: 'Or one of these' }).waitFor();
    expect(await chances(page)).toEqual([0.4, 0.3, 0.1]);
    // A brand can't be confirmed: feedback names a product.
    expect(await page.locator('.match').getByRole('button', { name: 'It is this one' }).count()).toBe(0);
  });

  test('are told apart by the names of the shop, and no brand is repeated', async () => {
    const page = await answered(A_BRAND);
    const paths = await cards(page).locator('.card .path').allTextContents();
    expect(paths).toEqual(['Handbags', 'Handbags · Le Vaurelle · LV-00421', 'Handbags']);
    await page.getByRole('button', { name: /^The Clé, crocodile, with its box/ }).click();
    expect(await title(page)).toBe('The Clé, crocodile, with its box');
    const link = page.getByRole('link', { name: 'Open at the shop' });
    expect(await link.getAttribute('href')).toBe('https://shop.example/lv-00421');
    expect(await link.getAttribute('rel')).toContain('noopener');
  });

  test.each(['http://shop.example/', 'javascript:alert(1)', 'data:text/html,x'])(
    'whose page is not https have no link to it: %s',
    async (url) => {
      const page = await answered([ranked(1, 0.9, [true], { url })]);
      expect(await page.getByRole('link', { name: 'Open at the shop' }).count()).toBe(0);
    },
  );

  test.each([['a desktop', {}] as const, ['a phone', PHONE] as const])(
    'are compared, opened and confirmed by keyboard on %s',
    async (_where, options) => {
      const page = await answered(A_BRAND, 1, options);
      await page.getByRole('button', { name: /^Aubrenne Orangerie/ }).press('Enter');
      expect(await title(page)).toBe('Aubrenne Orangerie');
      const told = page.waitForRequest('**/feedback');
      await page.getByRole('button', { name: /^It is this one.* The Clé 1$/ }).press('Enter');
      expect((await told).postDataJSON()).toEqual({ correct_id: 'product_1' });
      await page.getByText('Recorded: Le Vaurelle The Clé 1.').waitFor();
      const pressed = page.getByRole('button', { name: /^It is this one/, pressed: true });
      expect(await pressed.allTextContents()).toEqual(['It is this one: Le Vaurelle The Clé 1']);
      await page.getByRole('button', { name: 'Back to the best match' }).press('Enter');
      expect(await title(page)).toBe('Le Vaurelle');
      await page.getByRole('link', { name: 'Open Le Vaurelle The Clé 1' }).press('Enter');
      await page.waitForURL('**/?item=product_1');
      await page.goBack();
      // The answer is still there, and nothing was asked again.
      expect(await title(page)).toBe('Le Vaurelle');
    },
  );
});

describe('side by side', () => {
  const pane = (page: Page, name: string) =>
    page.getByRole('region', { name: `Compare: ${name.toLowerCase()}` });
  const placeOf = (page: Page, name: string) =>
    pane(page, name).evaluate((element) => {
      const { scrollLeft, scrollWidth, clientWidth } = element as unknown as Record<string, number>;
      return [scrollLeft, scrollWidth, clientWidth].map(Number) as [number, number, number];
    });

  test('both pictures can be enlarged about their centre and moved, by keyboard alone', async () => {
    const page = await answered([ranked(1, 0.7), ranked(2, 0.2)]);
    await page.getByRole('slider', { name: 'Zoom' }).press('End');
    for (const name of ['Your picture', 'In the catalog']) {
      const [left, width, shown] = await placeOf(page, name);
      expect(Math.round(width / shown)).toBe(5);
      expect(Math.abs(left + shown / 2 - width / 2)).toBeLessThan(2);
    }
    const [before] = await placeOf(page, 'In the catalog');
    // Not with `waitForFunction`, which the page's policy does not let check twice.
    const moved = page.evaluate(`new Promise((resolve) => {
      const pane = document.querySelectorAll('.pane')[1];
      pane.addEventListener('scroll', () => pane.scrollLeft > ${before} && resolve(true));
    })`);
    await pane(page, 'In the catalog').focus();
    await page.keyboard.press('ArrowRight');
    expect(await moved).toBe(true);
    // The part of the photo that is shown stays, whichever row is beside it.
    const photo = await placeOf(page, 'Your picture');
    await page.getByRole('button', { name: /^Le Vaurelle The Clé 2/ }).click();
    expect(await placeOf(page, 'Your picture')).toEqual(photo);
  });

  test('every picture of the row, and every photo, can be looked at', async () => {
    const page = await answered(TWO_ITEMS, 2);
    const shown = () => pane(page, 'In the catalog').getByRole('img').getAttribute('src');
    const first = await shown();
    await page.getByRole('button', { name: 'In the catalog 2' }).click();
    expect(await shown()).not.toBe(first);
    const photo = page.locator('.compare figcaption').first();
    await photo.filter({ hasText: /^Your picture 1/ }).waitFor();
    await page.getByRole('button', { name: 'Your picture 2' }).click();
    await photo.filter({ hasText: /^Your picture 2/ }).waitFor();
  });
});

describe('photos that disagree', () => {
  test('are reported before any number, on the screen and when read out', async () => {
    const page = await answered(TWO_ITEMS, 2);
    const doubt = page.getByText(/^Your pictures may show different items/).last();
    expect(await doubt.textContent()).toContain('nearer to picture 2');
    const order =
      'const all = [...document.querySelectorAll(".found .doubt, .found meter")]; all[0].className';
    expect(await page.evaluate(`(() => { ${order.replace('; all', '; return all')} })()`)).toBe('doubt');
    expect(await page.getByRole('status').first().textContent()).toMatch(/^Your pictures may.*50%\.$/);
    expect(await cards(page).getByText('Nearest to picture 2').isVisible()).toBe(true);
    // The photo by which a row was found is beside it.
    await page.getByRole('button', { name: /^Le Vaurelle The Clé 2/ }).click();
    await page
      .locator('.compare figcaption')
      .filter({ hasText: /^Your picture 2/ })
      .waitFor();
  });

  test('are not questioned when they agree', async () => {
    const page = await answered([ranked(1, 0.9, [true, true])], 2);
    expect(await page.locator('.doubt').count()).toBe(0);
    await page.getByText('All 2 pictures agree.').waitFor();
  });
});

describe('nothing sure', () => {
  test('is free, and the page says so; the nearest are a click away, at a price shown before', async () => {
    const page = await answered([], 2);
    await page.getByRole('heading', { name: 'Nothing is sure' }).waitFor();
    expect(await page.getByText('0 credits used').isVisible()).toBe(true);
    await answerWith(page, TEN_UNSURE);
    const sent = page.waitForRequest('**/v3/vision/identify');
    await page.getByRole('button', { name: 'Show the nearest for 12 credits' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ min_confidence: 0, images: [{}, {}] });
    await page.getByText('Nothing is sure. These are only the nearest').last().waitFor();
    expect(await page.getByText('The nearest', { exact: true }).isVisible()).toBe(true);
    expect(await page.getByText('Best match').count()).toBe(0);
    expect(await chances(page)).toHaveLength(9);
  });

  test('is the answer to a picture of nothing; its nearest rows are charged', async () => {
    const page = await browser.visit();
    const picture = sharp({ create: { width: 640, height: 640, channels: 3, background: 'white' } });
    await drop(page, {
      name: 'white.jpg',
      mimeType: 'image/jpeg',
      buffer: await picture.jpeg().toBuffer(),
    });
    await ask(page);
    await page.getByRole('button', { name: 'Show the nearest for 10 credits' }).click();
    await page.getByText('The nearest', { exact: true }).waitFor();
    expect(await page.getByText('10 credits used').isVisible()).toBe(true);
    const all = [
      Number(await page.locator('.match meter').first().getAttribute('value')),
      ...(await chances(page)),
    ];
    expect(all).toHaveLength(10);
    expect(all).toEqual([...all].sort((a, b) => b - a));
    expect(all.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1);
  });

  test('does not carry over to the next item', async () => {
    const page = await answered([]);
    await answerWith(page, TEN_UNSURE);
    await page.getByRole('button', { name: /^Show the nearest/ }).click();
    await page.getByText('The nearest', { exact: true }).waitFor();
    await drop(page, await fileOf(BAG));
    expect(await ask(page)).not.toHaveProperty('min_confidence');
  });

  test('with nothing near either offers nothing more to buy', async () => {
    const page = await answered([]);
    await page.getByRole('button', { name: /^Show the nearest/ }).click();
    await page.getByRole('heading', { name: 'There is nothing to compare it with' }).waitFor();
    expect(await page.getByRole('button', { name: /^Show the nearest/ }).count()).toBe(0);
  });
});

describe('why', () => {
  test('says who disagrees, and how sure each level is, below the two nearest pictures', async () => {
    const page = await browser.visit();
    await drop(page, await fileOf(WATCH, 4), await fileOf(WATCH, 5), await fileOf(BAG));
    await ask(page);
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText('Picture 3 disagrees').waitFor();
    expect(
      await page
        .getByText(/^Your picture [12]$/)
        .last()
        .isVisible(),
    ).toBe(true);
    await page.getByRole('img', { name: 'The nearest in the catalog' }).waitFor();
    await page.evaluate(`document.querySelector('.compare .picture:not(.as-is) img').decode()`);
    const levels = await why.getByRole('meter').all();
    const sure = await Promise.all(levels.map((level) => level.getAttribute('value')));
    expect(sure.length).toBeGreaterThan(1);
    expect(sure).toEqual([...sure].sort((a, b) => Number(b) - Number(a)));
    expect(await why.getByRole('meter', { name: /^Brand / }).getAttribute('aria-valuetext')).toMatch(/%, /);
  });
});

describe('feedback', () => {
  const predicted = async (page: Page): Promise<string> => {
    await drop(page, await fileOf(WATCH));
    const answer = page.waitForResponse('**/v3/vision/identify');
    await ask(page);
    await page.getByRole('heading', { name: 'Is it something else?' }).waitFor();
    return (await (await answer).headerValue('X-Prediction-Id')) ?? '';
  };
  /** As the service stores it. */
  const kept = async (prediction: string) => {
    const settings: Record<string, string> = JSON.parse(process.env['E2E_SETTINGS'] ?? '{}');
    const shown = await runLoupe(settings, 'predictions', 'show', prediction);
    return (shown as { feedback: { correctId: string | null; right: boolean } }).feedback;
  };
  const thanks = (page: Page, words: RegExp) =>
    page
      .getByText(/^Thank you/)
      .filter({ hasText: words })
      .waitFor();

  test('is recorded, and the last one counts: right, another one, none of the catalog', async () => {
    const page = await browser.visit();
    const prediction = await predicted(page);
    const right = page.getByRole('button', { name: /^It is this one/ }).first();
    await right.click();
    await thanks(page, /Vaurström/);
    expect(await right.getAttribute('aria-pressed')).toBe('true');
    expect(await kept(prediction)).toMatchObject({ correctId: productId(DEMO_SEED, WATCH), right: true });

    await page.getByRole('button', { name: 'Find it in the catalog' }).press('Enter');
    await page.keyboard.type('tote');
    await page.keyboard.press('Enter');
    const one = page
      .locator('.product-search')
      .getByRole('button', { name: /^It is this one/ })
      .first();
    const [, name = ''] = /: (.+)$/.exec((await one.textContent()) ?? '') ?? [];
    await one.press('Enter');
    await page.getByText(`Recorded: ${name}.`).waitFor();
    const other = await kept(prediction);
    expect(other.right).toBe(false);
    expect(other.correctId).toMatch(/^product_/);
    expect(await right.getAttribute('aria-pressed')).toBe('false');

    await page.getByRole('button', { name: 'Not in the catalog' }).click();
    await thanks(page, /not in the catalog/);
    expect(await kept(prediction)).toMatchObject({ correctId: null, right: false });
  });

  test('that did not arrive is reported, and can be sent again', async () => {
    const page = await browser.visit();
    const prediction = await predicted(page);
    await refuse(page, '**/feedback', 503);
    await page.getByRole('button', { name: 'Not in the catalog' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('This was not recorded');
    await page.unroute('**/feedback');
    await page.getByRole('button', { name: 'Try again' }).click();
    await thanks(page, /not in the catalog/);
    expect(await kept(prediction)).toMatchObject({ correctId: null });
  });

  test('is not requested when the answer has no name', async () => {
    const page = await browser.visit();
    await page.route('**/v3/vision/identify', (route) =>
      route.fulfill({ json: { success: true, credits_used: 0, data: [] } }),
    );
    await drop(page, await fileOf(WATCH));
    await ask(page);
    await page.getByRole('heading', { name: 'Nothing is sure' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Do you know what it is?' }).count()).toBe(0);
  });
});
