import { ANSWERED, ANSWERED_OR_UNDECODABLE, type HostileEntry, picture } from './entry';
import { app, jpegWith, segment } from './jpeg';
import { pngWith } from './png';
import type { SoundPictures } from './sound-pictures';
import { vp8x, webpChunks, webpOf } from './webp';

const KIND = 'metadata';
const EXIF = Buffer.from('Exif\0\0', 'latin1');
const PROFILE = Buffer.from('ICC_PROFILE\0', 'latin1');

/** EXIF orientations and broken EXIF, ICC and XMP in every format that carries them. */
export function metadata(pictures: SoundPictures): HostileEntry[] {
  return [
    ...orientations(pictures),
    ...brokenExif(pictures),
    ...brokenProfiles(pictures),
    ...texts(pictures),
  ];
}

/** Ways to put the same TIFF structure into each format. */
const carriers = ({ jpeg, png, webp }: SoundPictures) =>
  [
    ['JPEG', (tiff: Buffer) => jpegWith(jpeg.baseline, segment(app(1), Buffer.concat([EXIF, tiff])))],
    ['PNG', (tiff: Buffer) => pngWith(png.rgb, { type: 'eXIf', data: tiff })],
    [
      'WebP',
      (tiff: Buffer) =>
        webpOf([vp8x(96, 72, 'exif'), ...webpChunks(webp.lossy), { type: 'EXIF', data: tiff }]),
    ],
  ] as const;

interface Tag {
  readonly id: number;
  readonly type: number;
  readonly count: number;
  readonly value: number;
}

/** A TIFF structure with one directory; `next` and `at` may point anywhere. */
function tiff(tags: readonly Tag[], { next = 0, at = 8, count = tags.length } = {}): Buffer {
  const bytes = Buffer.alloc(14 + 12 * tags.length);
  bytes.write('II*\0', 'latin1');
  bytes.writeUInt32LE(at, 4);
  bytes.writeUInt16LE(count, 8);
  tags.forEach((tag, index) => {
    const from = 10 + 12 * index;
    bytes.writeUInt16LE(tag.id, from);
    bytes.writeUInt16LE(tag.type, from + 2);
    bytes.writeUInt32LE(tag.count, from + 4);
    bytes.writeUInt32LE(tag.value, from + 8);
  });
  bytes.writeUInt32LE(next, bytes.length - 4);
  return bytes;
}

const orientation = (value: number): Tag => ({ id: 0x0112, type: 3, count: 1, value });

function orientations(pictures: SoundPictures): HostileEntry[] {
  return carriers(pictures).flatMap(([format, carry]) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 65_535].map((value) =>
      picture(KIND, `${format} with orientation ${value}`, () => carry(tiff([orientation(value)])), ANSWERED),
    ),
  );
}

function brokenExif(pictures: SoundPictures): HostileEntry[] {
  const upright = orientation(6);
  const broken: [name: string, exif: Buffer][] = [
    ['empty', Buffer.alloc(0)],
    ['cut off', tiff([upright]).subarray(0, 15)],
    ['of another byte order', Buffer.from('XX*\0\x08\0\0\0', 'latin1')],
    ['that points to itself', tiff([upright], { next: 8 })],
    ['that points behind its end', tiff([upright], { at: 0x7fff_ffff })],
    ['that points before its start', tiff([upright], { at: 0xffff_fff8 })],
    ['of more entries than it has', tiff([upright], { count: 65_535 })],
    ['with four thousand million orientations', tiff([{ ...upright, count: 0xffff_ffff }])],
    ['with an orientation of text', tiff([{ ...upright, type: 2, count: 4 }])],
    ['with an orientation of an unknown type', tiff([{ ...upright, type: 999 }])],
    ['with values far away', tiff([{ id: 0x010f, type: 2, count: 0x7fff_fff0, value: 0x7fff_ff00 }])],
    ['whose directory for the camera is itself', tiff([{ id: 0x8769, type: 4, count: 1, value: 8 }])],
    ['with two orientations', tiff([upright, orientation(3)])],
  ];
  return carriers(pictures).flatMap(([format, carry]) =>
    broken.map(([name, exif]) =>
      picture(KIND, `${format} with EXIF ${name}`, () => carry(exif), ANSWERED_OR_UNDECODABLE),
    ),
  );
}

function brokenProfiles({ jpeg, webp }: SoundPictures): HostileEntry[] {
  const numbered = (number: number, of: number, data: Buffer) =>
    segment(app(2), Buffer.concat([PROFILE, Buffer.of(number, of), data]));
  const header = (size: number, space: string) => {
    const bytes = Buffer.alloc(132);
    bytes.writeUInt32BE(size, 0);
    bytes.write('lcms\x04\x30\0\0mntr', 4, 'latin1');
    bytes.write(`${space}XYZ `, 16, 'latin1');
    bytes.write('acsp', 36, 'latin1');
    return bytes;
  };
  const profiles: [name: string, profile: Buffer][] = [
    ['of nothing', Buffer.alloc(0)],
    ['of zeros', Buffer.alloc(132)],
    ['of noise', Buffer.from('\xff\x00\xa5'.repeat(100), 'latin1')],
    ['that says it is larger than it is', header(0xffff_ffff, 'RGB ')],
    ['that says it is smaller than it is', header(4, 'RGB ')],
    ['without tags', header(132, 'RGB ')],
    ['for CMYK', header(132, 'CMYK')],
    ['for a space that there is not', header(132, '????')],
  ];
  const entry = (name: string, make: () => Buffer) => picture(KIND, name, make, ANSWERED_OR_UNDECODABLE);
  return [
    ...profiles.flatMap(([name, profile]) => [
      entry(`JPEG with an ICC profile ${name}`, () => jpegWith(jpeg.baseline, numbered(1, 1, profile))),
      entry(`WebP with an ICC profile ${name}`, () =>
        webpOf([vp8x(96, 72, 'icc'), { type: 'ICCP', data: profile }, ...webpChunks(webp.lossy)]),
      ),
    ]),
    entry('JPEG with part 2 of 1 of an ICC profile', () =>
      jpegWith(jpeg.baseline, numbered(2, 1, Buffer.alloc(100))),
    ),
    entry('JPEG with part 0 of 0 of an ICC profile', () =>
      jpegWith(jpeg.baseline, numbered(0, 0, Buffer.alloc(100))),
    ),
    entry('JPEG with the same part of an ICC profile twice', () =>
      jpegWith(jpeg.baseline, numbered(1, 2, Buffer.alloc(100)), numbered(1, 2, Buffer.alloc(50))),
    ),
    entry('JPEG with a profile for CMYK in CMYK', () =>
      jpegWith(jpeg.cmyk, numbered(1, 1, header(132, 'CMYK'))),
    ),
  ];
}

function texts({ jpeg, png }: SoundPictures): HostileEntry[] {
  const xmp = (xml: string) => segment(app(1), Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xml}`, 'latin1'));
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghi'[n]};`.repeat(10)}">`).join('')}]><x>&j;</x>`;
  const external = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>';
  return [
    picture(
      KIND,
      'JPEG with an external entity in XMP',
      () => jpegWith(jpeg.baseline, xmp(external)),
      ANSWERED,
    ),
    picture(KIND, 'JPEG with a billion laughs in XMP', () => jpegWith(jpeg.baseline, xmp(laughs)), ANSWERED),
    picture(
      KIND,
      'JPEG with a script in a comment',
      () => jpegWith(jpeg.baseline, segment(0xfe, Buffer.from('<script>alert(1)</script>'))),
      ANSWERED,
    ),
    picture(
      KIND,
      'PNG with a program in tEXt',
      () =>
        pngWith(png.rgb, {
          type: 'tEXt',
          data: Buffer.from('Comment\0<?php system($_GET[0]); ?>', 'latin1'),
        }),
      ANSWERED,
    ),
  ];
}
