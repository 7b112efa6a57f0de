import type { Page } from 'playwright-core';
import sharp from 'sharp';
import * as demo from './browser';

/** A watch for which no bag of the demonstration is likely enough. */
const UNLIKE_BAGS = 27;

const browser = demo.useBrowser();

const tiles = (page: Page) => page.getByRole('list', { name: 'Your pictures' }).getByRole('listitem');
const button = (page: Page, name: string) => page.getByRole('button', { name });
const focused = (page: Page, name: string) => button(page, name).and(page.locator(':focus')).waitFor();
const alert = (page: Page) => page.getByRole('alert').textContent();
const best = (page: Page) => page.getByText('Best match').waitFor();

describe('several photos of an item', () => {
  test('that are dropped together are sent in one call, and priced that way; the next item replaces them', async () => {
    const page = await browser.visit();
    await demo.drop(page, demo.fileOf(demo.WATCH, 4), demo.fileOf(demo.WATCH, 5), demo.fileOf(demo.WATCH, 6));
    expect(await tiles(page).count()).toBe(3);
    await page.getByText('14 credits for an answer').waitFor();
    const { images, base64, explain } = await demo.identify(page);
    expect([images?.length, base64, explain]).toEqual([3, undefined, true]);
    await best(page);
    expect(await page.getByText('14 credits used').isVisible()).toBe(true);
    expect(await page.getByRole('region', { name: 'Your pictures' }).getByRole('img').count()).toBe(3);
    await demo.drop(page, demo.fileOf(demo.BAG));
    expect(await tiles(page).count()).toBe(1);
    expect((await demo.identify(page)).images).toBeUndefined();
  });

  test('can be added one after another: chosen, pasted, dropped; and one can be removed by keyboard', async () => {
    const page = await browser.visit();
    await demo.choose(page, demo.fileOf(demo.WATCH, 4));
    await demo.paste(page, demo.fileOf(demo.BAG, 5));
    await demo.drop(page, demo.fileOf(demo.WATCH, 6));
    await page.getByText('More sides help').waitFor();
    expect(await tiles(page).count()).toBe(3);
    await button(page, 'Remove picture 2').press('Enter');
    expect(await tiles(page).count()).toBe(2);
    await focused(page, 'Remove picture 2');
    const left = await Promise.all([demo.fileOf(demo.WATCH, 4), demo.fileOf(demo.WATCH, 6)]);
    const { images } = await demo.identify(page);
    expect(images?.map(({ base64 }) => base64)).toEqual(left.map(({ buffer }) => buffer.toString('base64')));
  });

  test('are at most five, and pictures: anything else is refused by name', async () => {
    const page = await browser.visit();
    const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };
    await demo.drop(page, ...[4, 5, 6, 7, 8, 9].map((seed) => demo.fileOf(demo.WATCH, seed)), note);
    expect(await alert(page)).toBe(
      '“note.txt” is no picture. “view-9.jpg” is left out: at most 5 pictures can be sent.',
    );
    expect(await tiles(page).count()).toBe(5);
    expect(await page.getByText('Add pictures').count()).toBe(0);
    await demo.expectAccessible(page);
    await button(page, 'Remove picture 1').click();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByText('Add pictures').isVisible()).toBe(true);
  });

  test('are identified without one that can’t be used, which is marked and explained', async () => {
    const page = await browser.visit();
    await demo.identify(page, demo.fileOf(demo.WATCH, 4), demo.HEIC, demo.fileOf(demo.WATCH, 5));
    expect(await alert(page)).toMatch(/^Picture 2 can’t be used.*This is HEIC.*Most Compatible/);
    const sent = page.getByRole('region', { name: 'Your pictures' }).getByRole('listitem');
    expect(await sent.nth(1).textContent()).toContain('Can’t be used');
    await demo.expectAccessible(page);
    await button(page, 'Change pictures').click();
    expect(await tiles(page).filter({ hasText: 'Can’t be used' }).count()).toBe(1);
    expect(await tiles(page).nth(1).textContent()).toContain('Can’t be used');
    await button(page, 'Remove picture 2').click();
    expect((await demo.identify(page)).images).toHaveLength(2);
    await best(page);
  });

  test('that are too large together are sent in smaller copies; one that can’t be made smaller is not sent', async () => {
    const page = await browser.visit();
    const picture = { width: 2600, height: 2300, channels: 3, background: 'grey' } as const;
    const large = demo.jpeg('large.jpg', await sharp({ create: picture }).jpeg().toBuffer());
    // A service that takes less than it does by default: not both, and both once they are smaller.
    const bytesMax = Math.round(1.5 * large.buffer.length);
    await page.route(browser.url, async (route) => {
      const response = await route.fetch();
      const html = (await response.text()).replace(/(?<=image-bytes-max=")\d+/, `${bytesMax}`);
      await route.fulfill({ response, body: html });
    });
    await page.reload();
    await demo.choose(page, large, large);
    const { images = [] } = await demo.identify(page);
    const sent = await Promise.all(
      images.map(({ base64 = '' }) => sharp(Buffer.from(base64, 'base64')).metadata()),
    );
    expect(sent.map(({ width, height }) => [width, height])).toEqual(Array(2).fill([2048, 1812]));
    await button(page, 'Another item').click();
    await demo.choose(page, { ...demo.HEIC, buffer: Buffer.alloc(2 * large.buffer.length) });
    await button(page, 'Identify').click();
    expect(await alert(page)).toContain('This picture is too large');
  });
});

describe('a frame', () => {
  const framed = async (options = {}) => {
    const page = await browser.visit('', options);
    await demo.drop(page, demo.fileOf(demo.WATCH, 4), demo.fileOf(demo.WATCH, 5));
    await button(page, 'Frame the item in picture 2').press('Enter');
    await page.getByText('The whole picture is looked at.').waitFor();
    await page.locator('.board img').scrollIntoViewIfNeeded();
    const box = (await page.locator('.board img').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const at = (x: number, y: number) => ({ x: box.x + x * box.width, y: box.y + y * box.height });
    return { page, box, at };
  };
  const regions = async (page: Page) => (await demo.identify(page)).images?.map(({ region }) => region);
  const expectNear = (region: object | undefined, wanted: Record<string, number>) => {
    const rounded = Object.entries(region ?? {}).map(([side, part]) => [side, Math.round(part * 50) / 50]);
    expect(Object.fromEntries(rounded)).toEqual(wanted);
  };

  test('can be set by keyboard alone, and is sent with its photo', async () => {
    const { page } = await framed();
    const slide = (name: string, key: string) => page.getByRole('slider', { name }).press(key);
    for (let step = 0; step < 5; step += 1) await slide('Left edge', 'ArrowRight');
    await slide('Top edge', 'PageUp');
    await slide('Right edge', 'PageDown');
    await slide('Bottom edge', 'ArrowLeft');
    await page.getByText('Only what is in the frame is looked at.').waitFor();
    // An edge stops before the one across.
    await slide('Left edge', 'End');
    expect(await page.getByRole('slider', { name: 'Left edge' }).getAttribute('aria-valuetext')).toBe('88%');
    await demo.expectAccessible(page);
    await slide('Left edge', 'Home');
    await button(page, 'Done').press('Enter');
    await focused(page, 'Frame the item in picture 2');
    expect(await regions(page)).toEqual([undefined, { x: 0, y: 0.1, width: 0.9, height: 0.89 }]);
    await best(page);
  });

  test('can be drawn, moved and resized by pointer, and removed by one button', async () => {
    const { page, at } = await framed();
    const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await page.mouse.up();
    };
    await drag(at(0.6, 0.7), at(0.2, 0.2));
    await drag(at(0.4, 0.4), at(0.5, 0.5));
    await drag(at(0.7, 0.8), at(0.9, 0.9));
    expectNear((await regions(page))?.[1], { x: 0.3, y: 0.3, width: 0.6, height: 0.6 });
    await best(page);
    await button(page, 'Change pictures').click();
    await button(page, 'Frame the item in picture 2').click();
    await button(page, 'Remove the frame').click();
    expect(await regions(page)).toEqual([undefined, undefined]);
  });

  test('can be drawn by a finger, and the page does not scroll meanwhile', async () => {
    const { page, box, at } = await framed(demo.PHONE);
    const touches = await page.context().newCDPSession(page);
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...touchPoints: { x: number; y: number }[]
    ) => touches.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', at(0.8, 0.9));
    for (const part of [0.7, 0.5, 0.3, 0.2]) await touch('touchMove', at(part, part));
    await touch('touchEnd');
    expect((await page.locator('.board img').boundingBox())?.y).toBe(box.y);
    expectNear((await regions(page))?.[1], { x: 0.2, y: 0.2, width: 0.6, height: 0.7 });
  });
});

describe('the scope', () => {
  const lookAmong = async (page: Page, category: string) => {
    await page.getByText('Look among: anything').click();
    await page.getByRole('radio', { name: category }).check();
    await page.getByText(`Look among: ${category}`).waitFor();
  };

  test('is one of the catalog’s categories, and the answer is from it', async () => {
    const page = await browser.visit();
    await lookAmong(page, 'Watches');
    await demo.expectAccessible(page);
    expect((await demo.identify(page, demo.fileOf(demo.WATCH))).category_id).toBe('watches');
    await best(page);
    expect(await page.locator('.match .path').textContent()).toMatch(/^Watches/);
  });

  test('without a similar item says where it looked; the next item is looked for anywhere', async () => {
    const page = await browser.visit();
    await lookAmong(page, 'Handbags');
    await demo.identify(page, demo.fileOf(UNLIKE_BAGS));
    await page.getByText('Only Handbags were looked among.').waitFor();
    expect((await demo.identify(page, demo.fileOf(UNLIKE_BAGS))).category_id).toBeUndefined();
    await best(page);
  });
});
