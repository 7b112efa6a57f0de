import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { ask, BAG, drop, fileOf, HEIC, PHONE, paste, useBrowser, WATCH } from './browser';

/** A watch for which no bag of the demonstration is likely enough. */
const UNLIKE_BAGS = 19;

const browser = useBrowser();

const tiles = (page: Page) => page.getByRole('list', { name: 'Your pictures' }).getByRole('listitem');
const remove = (page: Page, number: number) =>
  page.getByRole('button', { name: `Remove picture ${number}` }).click();
const best = (page: Page) => page.getByText('Best match').waitFor();

describe('several photos of an item', () => {
  test('that are dropped together are sent in one call, and priced that way', async () => {
    const page = await browser.visit();
    await drop(page, await fileOf(WATCH, 4), await fileOf(WATCH, 5), await fileOf(WATCH, 6));
    expect(await tiles(page).count()).toBe(3);
    await page.getByText('14 credits for an answer').waitFor();
    const { images, base64, explain } = await ask(page);
    expect(images).toHaveLength(3);
    expect(base64).toBeUndefined();
    expect(explain).toBe(true);
    await best(page);
    expect(await page.getByText('14 credits used').isVisible()).toBe(true);
    expect(await page.getByRole('region', { name: 'Your pictures' }).getByRole('img').count()).toBe(3);
  });

  test('can be added one after another: chosen, pasted, dropped; and one can be removed by keyboard', async () => {
    const page = await browser.visit();
    await page.locator('input[type=file][multiple]').setInputFiles([await fileOf(WATCH, 4)]);
    await paste(page, await fileOf(BAG, 5));
    await drop(page, await fileOf(WATCH, 6));
    await page.getByText('More sides help').waitFor();
    expect(await tiles(page).count()).toBe(3);
    await page.getByRole('button', { name: 'Remove picture 2' }).press('Enter');
    expect(await tiles(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Remove picture 2' }).and(page.locator(':focus')).waitFor();
    const left = await Promise.all([fileOf(WATCH, 4), fileOf(WATCH, 6)]);
    const { images } = await ask(page);
    expect(images?.map(({ base64 }) => base64)).toEqual(left.map(({ buffer }) => buffer.toString('base64')));
  });

  test('are at most five, and pictures: anything else is refused by name', async () => {
    const page = await browser.visit();
    const six = await Promise.all([4, 5, 6, 7, 8, 9].map((seed) => fileOf(WATCH, seed)));
    await drop(page, ...six, { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('words') });
    expect(await page.getByRole('alert').textContent()).toBe(
      '“note.txt” is no picture. “view-9.jpg” is left out: at most 5 pictures can be sent.',
    );
    expect(await tiles(page).count()).toBe(5);
    expect(await page.getByText('Add pictures').count()).toBe(0);
    await remove(page, 1);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByText('Add pictures').isVisible()).toBe(true);
  });

  test('are identified without one that can’t be used, which is marked', async () => {
    const page = await browser.visit();
    await drop(page, await fileOf(WATCH, 4), HEIC, await fileOf(WATCH, 5));
    await ask(page);
    expect(await page.getByRole('alert').textContent()).toMatch(/^Picture 2 can’t be used.*This is HEIC/);
    const sent = page.getByRole('region', { name: 'Your pictures' }).getByRole('listitem');
    expect(await sent.nth(1).textContent()).toContain('Can’t be used');
    await page.getByRole('button', { name: 'Change pictures' }).click();
    expect(await tiles(page).filter({ hasText: 'Can’t be used' }).count()).toBe(1);
    expect(await tiles(page).nth(1).textContent()).toContain('Can’t be used');
    await remove(page, 2);
    expect((await ask(page)).images).toHaveLength(2);
    await best(page);
  });

  test('that are too large together are sent in smaller copies', async () => {
    const page = await browser.visit();
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const picture = sharp({ create: { width: 2600, height: 2300, channels: 3, background: 'grey', noise } });
    const buffer = await picture.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
    const large = { name: 'large.jpg', mimeType: 'image/jpeg', buffer };
    expect(2 * buffer.length).toBeGreaterThan(20 * 1024 * 1024);
    await page.locator('input[type=file][multiple]').setInputFiles([large, large]);
    const { images } = await ask(page);
    const sent = await Promise.all(
      (images ?? []).map(({ base64 = '' }) => sharp(Buffer.from(base64, 'base64')).metadata()),
    );
    expect(sent.map(({ width, height }) => [width, height])).toEqual([
      [2048, 1812],
      [2048, 1812],
    ]);
  });

  test('are replaced by those of another item once they are identified', async () => {
    const page = await browser.visit();
    await drop(page, await fileOf(WATCH, 4), await fileOf(WATCH, 5));
    await ask(page);
    await best(page);
    await drop(page, await fileOf(BAG));
    expect(await tiles(page).count()).toBe(1);
    expect((await ask(page)).images).toBeUndefined();
  });
});

describe('a frame', () => {
  const framed = async (page: Page) => {
    await drop(page, await fileOf(WATCH, 4), await fileOf(WATCH, 5));
    await page.getByRole('button', { name: 'Frame the item in picture 2' }).press('Enter');
    await page.getByText('The whole picture is looked at.').waitFor();
  };

  test('can be set by keyboard alone, and is sent with its photo', async () => {
    const page = await browser.visit();
    await framed(page);
    const slide = (name: string, key: string) => page.getByRole('slider', { name }).press(key);
    for (let step = 0; step < 5; step += 1) await slide('Left edge', 'ArrowRight');
    await slide('Top edge', 'PageUp');
    await slide('Right edge', 'PageDown');
    await slide('Bottom edge', 'ArrowLeft');
    await page.getByText('Only what is in the frame is looked at.').waitFor();
    // An edge stops before the one across.
    await slide('Left edge', 'End');
    expect(await page.getByRole('slider', { name: 'Left edge' }).getAttribute('aria-valuetext')).toBe('88%');
    await slide('Left edge', 'Home');
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await page
      .getByRole('button', { name: 'Frame the item in picture 2' })
      .and(page.locator(':focus'))
      .waitFor();
    const { images } = await ask(page);
    expect(images?.map(({ region }) => region)).toEqual([
      undefined,
      { x: 0, y: 0.1, width: 0.9, height: 0.89 },
    ]);
    await best(page);
  });

  test('can be drawn, moved and resized by pointer, and removed by one button', async () => {
    const page = await browser.visit();
    await framed(page);
    await page.locator('.board img').scrollIntoViewIfNeeded();
    const box = await boxOf(page);
    const drag = async (fromX: number, fromY: number, toX: number, toY: number) => {
      await page.mouse.move(box.x + fromX * box.width, box.y + fromY * box.height);
      await page.mouse.down();
      await page.mouse.move(box.x + toX * box.width, box.y + toY * box.height, { steps: 4 });
      await page.mouse.up();
    };
    await drag(0.6, 0.7, 0.2, 0.2);
    await drag(0.4, 0.4, 0.5, 0.5);
    await drag(0.7, 0.8, 0.9, 0.9);
    const [, second] = (await ask(page)).images ?? [];
    expectNear(second?.region, { x: 0.3, y: 0.3, width: 0.6, height: 0.6 });
    await best(page);
    await page.getByRole('button', { name: 'Change pictures' }).click();
    await page.getByRole('button', { name: 'Frame the item in picture 2' }).click();
    await page.getByRole('button', { name: 'Remove the frame' }).click();
    expect((await ask(page)).images?.every(({ region }) => region === undefined)).toBe(true);
  });

  test('can be drawn by a finger, and the page does not scroll meanwhile', async () => {
    const page = await browser.visit('', PHONE);
    await framed(page);
    await page.locator('.board img').scrollIntoViewIfNeeded();
    const box = await boxOf(page);
    const touches = await page.context().newCDPSession(page);
    const at = (x: number, y: number) => [{ x: box.x + x * box.width, y: box.y + y * box.height }];
    await touches.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0.8, 0.9) });
    for (const part of [0.7, 0.5, 0.3, 0.2]) {
      await touches.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(part, part) });
    }
    await touches.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect((await boxOf(page)).y).toBe(box.y);
    const [, second] = (await ask(page)).images ?? [];
    expectNear(second?.region, { x: 0.2, y: 0.2, width: 0.6, height: 0.7 });
  });

  const boxOf = async (page: Page) =>
    (await page.locator('.board img').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const expectNear = (region: object | undefined, wanted: Record<string, number>) => {
    const rounded = Object.entries(region ?? {}).map(([side, part]) => [side, Math.round(part * 50) / 50]);
    expect(Object.fromEntries(rounded)).toEqual(wanted);
  };
});

describe('the scope', () => {
  test('is one of the catalog’s categories, and the answer is from it', async () => {
    const page = await browser.visit();
    await drop(page, await fileOf(WATCH));
    await page.getByText('Look among: anything').click();
    await page.getByRole('radio', { name: 'Watches' }).check();
    await page.getByText('Look among: Watches').waitFor();
    expect((await ask(page)).category_id).toBe('watches');
    await best(page);
    expect(await page.locator('.match .path').textContent()).toMatch(/^Watches/);
  });

  test('without a similar item says where it looked; the next item is looked for anywhere', async () => {
    const page = await browser.visit();
    await drop(page, await fileOf(UNLIKE_BAGS));
    await page.getByText('Look among: anything').click();
    await page.getByRole('radio', { name: 'Handbags' }).check();
    await ask(page);
    await page.getByText('Only Handbags were looked among.').waitFor();
    await drop(page, await fileOf(UNLIKE_BAGS));
    expect((await ask(page)).category_id).toBeUndefined();
    await best(page);
  });
});
