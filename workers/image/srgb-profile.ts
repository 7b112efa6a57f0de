/** Colours of the primaries of sRGB as profiles have them: X, Y, Z under D50 (IEC 61966-2-1, ICC.1). */
const PRIMARIES = Object.entries({
  r: [0.436, 0.2225, 0.0139],
  g: [0.3851, 0.7169, 0.0971],
  b: [0.1431, 0.0606, 0.7141],
});
/** Light of half the value. */
const HALF_LIGHT = 0.214;
/** Profiles round; that of another colour space is further away. */
const TOLERANCE = 0.003;

/** Converting such a picture to sRGB would change nothing, and take longer than decoding and shrinking it. False for what can't be read. */
export function isSrgbProfile(profile: Buffer): boolean {
  try {
    return (
      profile.toString('latin1', 16, 24) === 'RGB XYZ ' &&
      PRIMARIES.every(([colour, xyz]) => {
        const at = tagAt(profile, `${colour}XYZ`) + 8;
        const hasColour = xyz.every((value, axis) => isNear(fixed(profile, at + 4 * axis), value));
        return hasColour && isNear(halfLight(profile, tagAt(profile, `${colour}TRC`)), HALF_LIGHT);
      })
    );
  } catch {
    return false;
  }
}

/** Where a tag's data begins: its name is in the table of tags, which comes first, before the place of the data. */
const tagAt = (profile: Buffer, name: string): number =>
  profile.readUInt32BE(profile.indexOf(name, 132, 'latin1') + 4);

/** The linear light of the value 0.5 by a tone curve: a table, a power, or a parametric curve like that of sRGB. */
function halfLight(profile: Buffer, at: number): number {
  const type = profile.toString('latin1', at, at + 4);
  if (type === 'curv') {
    const count = profile.readUInt32BE(at + 8);
    if (count < 2) return count === 0 ? 0.5 : 0.5 ** (profile.readUInt16BE(at + 12) / 0x100);
    return profile.readUInt16BE(at + 12 + 2 * Math.floor((count - 1) / 2)) / 0xffff;
  }
  const form = type === 'para' ? profile.readUInt16BE(at + 8) : null;
  if (form !== 3 && form !== 4) return Number.NaN;
  const parameter = (index: number) => fixed(profile, at + 12 + 4 * index);
  // Above their dark part both are a power; the fourth form adds an offset.
  return (parameter(1) * 0.5 + parameter(2)) ** parameter(0) + (form === 4 ? parameter(5) : 0);
}

const fixed = (profile: Buffer, at: number): number => profile.readInt32BE(at) / 0x10000;

const isNear = (value: number, wanted: number): boolean => Math.abs(value - wanted) <= TOLERANCE;
