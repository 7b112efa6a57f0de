/** Colours of the primaries of sRGB as profiles have them: X, Y, Z under D50 (IEC 61966-2-1, ICC.1). */
const PRIMARIES: Readonly<Record<string, readonly number[]>> = {
  rXYZ: [0.436, 0.2225, 0.0139],
  gXYZ: [0.3851, 0.7169, 0.0971],
  bXYZ: [0.1431, 0.0606, 0.7141],
};
/** Light of half the value. */
const HALF_LIGHT = 0.214;
/** Profiles round; that of another colour space is further away. */
const TOLERANCE = 0.003;

const TAGS_AT = 128;
const TAG_BYTES = 12;
const FIXED_ONE = 0x10000;

/**
 * Whether a colour profile says what a picture without one is taken for: sRGB. Converting such a picture would change
 * nothing, and takes longer than decoding and shrinking it. False for what can't be read.
 */
export function isSrgbProfile(profile: Buffer): boolean {
  try {
    if (profile.toString('latin1', 16, 24) !== 'RGB XYZ ') return false;
    const tags = tagsOf(profile);
    const primariesAgree = Object.entries(PRIMARIES).every(([name, xyz]) =>
      xyz.every((value, axis) =>
        isNear(fixed(profile, (tags.get(name) ?? Number.NaN) + 8 + 4 * axis), value),
      ),
    );
    return (
      primariesAgree &&
      ['rTRC', 'gTRC', 'bTRC'].every((name) =>
        isNear(halfLight(profile, tags.get(name) ?? Number.NaN), HALF_LIGHT),
      )
    );
  } catch {
    return false;
  }
}

/** Where each tag's data begins. */
function tagsOf(profile: Buffer): Map<string, number> {
  const count = Math.min(profile.readUInt32BE(TAGS_AT), profile.length / TAG_BYTES);
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const at = TAGS_AT + 4 + TAG_BYTES * index;
      return [profile.toString('latin1', at, at + 4), profile.readUInt32BE(at + 4)];
    }),
  );
}

/** The light that half of the value stands for, by a tone curve: a table, a power, or the formula of sRGB's kind. */
function halfLight(profile: Buffer, at: number): number {
  if (profile.toString('latin1', at, at + 4) === 'curv') {
    const count = profile.readUInt32BE(at + 8);
    if (count === 0) return 0.5;
    if (count === 1) return 0.5 ** (profile.readUInt16BE(at + 12) / 0x100);
    return profile.readUInt16BE(at + 12 + 2 * Math.floor((count - 1) / 2)) / 0xffff;
  }
  const form = profile.toString('latin1', at, at + 4) === 'para' ? profile.readUInt16BE(at + 8) : null;
  if (form !== 3 && form !== 4) return Number.NaN;
  const parameter = (index: number) => fixed(profile, at + 12 + 4 * index);
  // Above their dark part both are a power; the fourth form adds an offset.
  return (parameter(1) * 0.5 + parameter(2)) ** parameter(0) + (form === 4 ? parameter(5) : 0);
}

const fixed = (profile: Buffer, at: number): number => profile.readInt32BE(at) / FIXED_ONE;

const isNear = (value: number, wanted: number): boolean => Math.abs(value - wanted) <= TOLERANCE;
