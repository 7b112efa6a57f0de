import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { productId } from '../../scripts/lab/generator/generate-bundle';
import * as demo from './browser';
import { A_BRAND, answerWith, type RankedRow, ranked, TEN_UNSURE, TWO_ITEMS } from './ranked-answers';

const browser = demo.useBrowser();

async function answered(rows: readonly RankedRow[], photos = 1, options = {}): Promise<Page> {
  const page = await browser.visit('', options);
  await answerWith(page, rows);
  await demo.identify(page, ...[demo.WATCH, demo.BAG].slice(0, photos).map((item) => demo.fileOf(item)));
  await page.getByRole('heading', { name: /^(Is it something else|Do you know)/ }).waitFor();
  return page;
}

const cards = (page: Page) => page.getByRole('region', { name: /^(The likeliest of|Or one of)/ });
const button = (page: Page, name: RegExp | string) => page.getByRole('button', { name });
const values = (meters: { getAttribute(name: string): string | null }[]) =>
  meters.map((meter) => Number(meter.getAttribute('value')));
const chances = (page: Page) => cards(page).getByRole('meter').evaluateAll(values);
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

  test('of a brand are its likeliest products, then others, told apart by the names of the shop', async () => {
    const page = await answered(A_BRAND);
    expect(await title(page)).toBe('Le Vaurelle');
    await page.getByText('The photo shows this brand; which of its products').waitFor();
    await page.getByRole('heading', { name: 'The likeliest of Le Vaurelle' }).waitFor();
    await page.getByRole('heading', { name: 'Or one of these' }).waitFor();
    expect(await chances(page)).toEqual([0.4, 0.3, 0.1]);
    // A brand can't be confirmed: feedback names a product.
    expect(await page.locator('.match').getByRole('button', { name: 'It is this one' }).count()).toBe(0);
    const paths = await cards(page).locator('.card .path').allTextContents();
    expect(paths).toEqual(['Handbags', 'Handbags · Le Vaurelle · LV-00421', 'Handbags']);
    await button(page, /^The Clé, crocodile, with its box/).click();
    expect(await title(page)).toBe('The Clé, crocodile, with its box');
    const link = page.getByRole('link', { name: 'Open at the shop' });
    expect(await link.getAttribute('href')).toBe('https://shop.example/lv-00421');
    expect(await link.getAttribute('rel')).toContain('noopener');
    await page.getByRole('slider', { name: 'Zoom' }).press('End');
    await demo.expectAccessible(page);
  });

  test('whose page is not https have no link to it', async () => {
    const urls = ['http://shop.example/', 'javascript:alert(1)', 'data:text/html,x'];
    const page = await answered(urls.map((url, at) => ranked(at + 1, 0.3, [true], { url })));
    for (const [at] of urls.entries()) {
      if (at > 0)
        await cards(page)
          .getByRole('button', { name: `The Clé ${at + 1}` })
          .first()
          .click();
      expect(await title(page)).toBe(`Le Vaurelle The Clé ${at + 1}`);
      expect(await page.getByRole('link', { name: 'Open at the shop' }).count()).toBe(0);
    }
  });

  test('are compared, opened and confirmed by keyboard, on a phone too', async () => {
    const page = await answered(A_BRAND, 1, demo.PHONE);
    await button(page, /^Aubrenne Orangerie/).press('Enter');
    expect(await title(page)).toBe('Aubrenne Orangerie');
    const told = page.waitForRequest('**/feedback');
    await button(page, /^It is this one.* The Clé 1$/).press('Enter');
    expect((await told).postDataJSON()).toEqual({ correct_id: 'product_1' });
    await page.getByText('Recorded: Le Vaurelle The Clé 1.').waitFor();
    const pressed = page.getByRole('button', { name: /^It is this one/, pressed: true });
    expect(await pressed.allTextContents()).toEqual(['It is this one: Le Vaurelle The Clé 1']);
    await button(page, 'Back to the best match').press('Enter');
    expect(await title(page)).toBe('Le Vaurelle');
    await page.getByRole('link', { name: 'Open Le Vaurelle The Clé 1' }).press('Enter');
    await page.waitForURL('**/?item=product_1');
    await page.goBack();
    // The answer is still shown, and no call was repeated.
    expect(await title(page)).toBe('Le Vaurelle');
  });
});

describe('side by side', () => {
  const pane = (page: Page, name: string) => page.getByRole('region', { name: `Compare: ${name}` });
  const placeOf = (page: Page, name: string) =>
    pane(page, name).evaluate((element) => {
      const { scrollLeft, scrollWidth, clientWidth } = element as unknown as Record<string, number>;
      return [scrollLeft, scrollWidth, clientWidth].map(Number) as [number, number, number];
    });

  test('both pictures can be enlarged about their centre and moved, by keyboard alone', async () => {
    const page = await answered([ranked(1, 0.7), ranked(2, 0.2)]);
    await page.getByRole('slider', { name: 'Zoom' }).press('End');
    for (const name of ['your picture', 'in the catalog']) {
      const [left, width, shown] = await placeOf(page, name);
      expect(Math.round(width / shown)).toBe(5);
      expect(Math.abs(left + shown / 2 - width / 2)).toBeLessThan(2);
    }
    const [before] = await placeOf(page, 'in the catalog');
    // Not with `waitForFunction`, which the page's policy allows only once.
    const moved = page.evaluate(`new Promise((resolve) => {
      const pane = document.querySelectorAll('.pane')[1];
      pane.addEventListener('scroll', () => pane.scrollLeft > ${before} && resolve(true));
    })`);
    await pane(page, 'in the catalog').focus();
    await page.keyboard.press('ArrowRight');
    expect(await moved).toBe(true);
    // The part of the photo that is shown stays, whichever row is beside it.
    const photo = await placeOf(page, 'your picture');
    await button(page, /^Le Vaurelle The Clé 2/).click();
    expect(await placeOf(page, 'your picture')).toEqual(photo);
  });

  test('every picture of the row, and every photo, can be looked at', async () => {
    const page = await answered(TWO_ITEMS, 2);
    const shown = () => pane(page, 'in the catalog').getByRole('img').getAttribute('src');
    const first = await shown();
    await button(page, 'In the catalog 2').click();
    expect(await shown()).not.toBe(first);
    const photo = page.locator('.compare figcaption').first();
    await photo.filter({ hasText: /^Your picture 1/ }).waitFor();
    await button(page, 'Your picture 2').click();
    await photo.filter({ hasText: /^Your picture 2/ }).waitFor();
  });
});

describe('photos that disagree', () => {
  test('are reported before any number, on the screen and when read out', async () => {
    const page = await answered(TWO_ITEMS, 2);
    const doubt = page.getByText(/^Your pictures may show different items/).last();
    expect(await doubt.textContent()).toContain('nearer to picture 2');
    const first = `document.querySelector('.found :is(.doubt, meter)').className`;
    expect(await page.evaluate(first)).toBe('doubt');
    expect(await page.getByRole('status').first().textContent()).toMatch(/^Your pictures may.*50%\.$/);
    expect(await cards(page).getByText('Nearest to picture 2').isVisible()).toBe(true);
    // The photo by which a row was found is beside it.
    await button(page, /^Le Vaurelle The Clé 2/).click();
    const caption = page.locator('.compare figcaption');
    await caption.filter({ hasText: /^Your picture 2/ }).waitFor();
    await demo.expectAccessible(page);
  });

  test('cause no warning when they agree', async () => {
    const page = await answered([ranked(1, 0.9, [true, true])], 2);
    expect(await page.locator('.doubt').count()).toBe(0);
    await page.getByText('All 2 pictures agree.').waitFor();
  });
});

describe('nothing sure', () => {
  const nearest = (page: Page) => page.getByText('The nearest', { exact: true });

  test('is free; the nearest are a click away, at a price shown before; the next item is asked as usual', async () => {
    const page = await answered([], 2);
    await page.getByRole('heading', { name: 'Nothing is sure' }).waitFor();
    expect(await page.getByText('0 credits used').isVisible()).toBe(true);
    await demo.expectAccessible(page);
    await answerWith(page, TEN_UNSURE);
    const sent = page.waitForRequest('**/v3/vision/identify');
    await button(page, 'Show the nearest for 12 credits').click();
    expect((await sent).postDataJSON()).toMatchObject({ min_confidence: 0, images: [{}, {}] });
    await page.getByText('Nothing is sure. These are only the nearest').last().waitFor();
    expect(await nearest(page).isVisible()).toBe(true);
    expect(await page.getByText('Best match').count()).toBe(0);
    expect(await chances(page)).toHaveLength(9);
    await demo.expectAccessible(page);
    expect(await demo.identify(page, demo.fileOf(demo.BAG))).not.toHaveProperty('min_confidence');
  });

  test('is the answer to a picture of nothing; its nearest rows are charged', async () => {
    const page = await browser.visit();
    const picture = sharp({ create: { width: 640, height: 640, channels: 3, background: 'white' } });
    await demo.identify(page, demo.jpeg('white.jpg', await picture.jpeg().toBuffer()));
    await button(page, 'Show the nearest for 10 credits').click();
    await nearest(page).waitFor();
    expect(await page.getByText('10 credits used').isVisible()).toBe(true);
    const first = await page.locator('.match meter').first().evaluateAll(values);
    const all = [...first, ...(await chances(page))];
    expect(all).toHaveLength(10);
    expect(all).toEqual([...all].sort((a, b) => b - a));
    expect(all.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1);
  });

  test('with nothing near either offers nothing more to buy', async () => {
    const page = await answered([]);
    await button(page, /^Show the nearest/).click();
    await page.getByRole('heading', { name: 'There is nothing to compare it with' }).waitFor();
    expect(await button(page, /^Show the nearest/).count()).toBe(0);
  });
});

test('an answer says who disagrees, and how sure each level is, below the two nearest pictures', async () => {
  const page = await browser.visit();
  await demo.identify(page, demo.fileOf(demo.WATCH, 4), demo.fileOf(demo.WATCH, 5), demo.fileOf(demo.BAG));
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByText('Picture 3 disagrees').waitFor();
  const photo = page.getByText(/^Your picture [12]$/).last();
  expect(await photo.isVisible()).toBe(true);
  await page.getByRole('img', { name: 'The nearest in the catalog' }).waitFor();
  await page.evaluate(`document.querySelector('.compare .picture:not(.as-is) img').decode()`);
  const sure = await why.getByRole('meter').evaluateAll(values);
  expect(sure.length).toBeGreaterThan(1);
  expect(sure).toEqual([...sure].sort((a, b) => b - a));
  expect(await why.getByRole('meter', { name: /^Brand / }).getAttribute('aria-valuetext')).toMatch(/%, /);
});

describe('feedback', () => {
  /** A page with the service's answer to a photo, and what `told` sends and the service accepts as feedback on it. */
  const predicted = async () => {
    const page = await browser.visit();
    const answer = page.waitForResponse('**/v3/vision/identify');
    await demo.identify(page, demo.fileOf(demo.WATCH));
    await page.getByRole('heading', { name: 'Is it something else?' }).waitFor();
    const prediction = await (await answer).headerValue('X-Prediction-Id');
    const told = async (tell: () => Promise<void>): Promise<string | null> => {
      const accepted = page.waitForResponse(`**/v3/vision/predictions/${prediction}/feedback`);
      await tell();
      expect((await accepted).status()).toBe(200);
      return (await accepted).request().postDataJSON().correct_id;
    };
    return { page, told };
  };
  const thanks = (page: Page, words: string) =>
    page
      .getByText(/^Thank you/)
      .filter({ hasText: words })
      .waitFor();

  test('is recorded: right, another one, none of the catalog; each after the other', async () => {
    const { page, told } = await predicted();
    const right = button(page, /^It is this one/).first();
    expect(await told(() => right.click())).toBe(productId(demo.DEMO_SEED, demo.WATCH));
    await thanks(page, 'Vaurström');
    expect(await right.getAttribute('aria-pressed')).toBe('true');

    await button(page, 'Find it in the catalog').press('Enter');
    await page.keyboard.type('tote');
    await page.keyboard.press('Enter');
    const search = page.locator('.product-search');
    const one = search.getByRole('button', { name: /^It is this one/ }).first();
    const [, name = ''] = /: (.+)$/.exec((await one.textContent()) ?? '') ?? [];
    await demo.expectAccessible(page);
    expect(await told(() => one.press('Enter'))).toMatch(/^product_/);
    await thanks(page, `${name}.`);
    expect(await right.getAttribute('aria-pressed')).toBe('false');

    expect(await told(() => button(page, 'Not in the catalog').click())).toBeNull();
    await thanks(page, 'not in the catalog');
  });

  test('that did not arrive is reported, and can be sent again', async () => {
    const { page, told } = await predicted();
    await demo.refuse(page, '**/feedback', 503);
    await button(page, 'Not in the catalog').click();
    expect(await page.getByRole('alert').textContent()).toContain('This was not recorded');
    expect(await told(() => button(page, 'Try again').click())).toBeNull();
    await thanks(page, 'not in the catalog');
  });

  test('is not requested when the answer has no name', async () => {
    const page = await browser.visit();
    const json = { success: true, credits_used: 0, data: [] };
    await page.route('**/v3/vision/identify', (route) => route.fulfill({ json }));
    await demo.drop(page, demo.fileOf(demo.WATCH));
    await demo.identify(page);
    await page.getByRole('heading', { name: 'Nothing is sure' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Do you know what it is?' }).count()).toBe(0);
  });
});
