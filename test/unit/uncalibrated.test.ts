import { calibrationOf, confidenceOf, type Signals, UNCALIBRATED } from '../../models/vision/confidence';

/** The stand-in for a calibration that nobody has fitted. */
const claimed = (similarity: number, margin: number): number => {
  const none: Signals = {
    similarity: 0,
    whole: 0,
    margin: 0,
    lead: 0,
    viewLead: 0,
    consensus: 0,
    prominence: 0,
  };
  return confidenceOf(UNCALIBRATED.confidence, { ...none, similarity, margin });
};

test('a model that brings a calibration keeps it; one that brings none gets the stand-in', () => {
  const own = { ...UNCALIBRATED, floor: 0.1 };
  expect(calibrationOf({ calibration: own })).toBe(own);
  expect(calibrationOf({ calibration: null })).toBe(UNCALIBRATED);
});

test('claims little: a picture that matches perfectly, as another does, is no sure answer', () => {
  expect(claimed(1, 0)).toBeLessThan(0.3);
  expect(claimed(0.9, 0.05)).toBeLessThan(0.3);
  expect(claimed(0.6, 0.1)).toBeLessThan(0.05);
});

test('rises with the similarity and with the margin, and is sure of what stands alone', () => {
  expect(claimed(0.9, 0.1)).toBeGreaterThan(claimed(0.8, 0.1));
  expect(claimed(0.9, 0.2)).toBeGreaterThan(claimed(0.9, 0.1));
  expect(claimed(1, 0.5)).toBeGreaterThan(0.85);
});
