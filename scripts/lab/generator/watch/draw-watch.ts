import { fillBox, stops, white } from '../brush/light';
import { closedPath } from '../paint/curves';
import { drawBezel } from './draw-bezel';
import { drawCase, drawWall } from './draw-case';
import { drawDial } from './draw-dial';
import { drawHands } from './draw-hands';
import { drawWatchStrap } from './draw-strap';
import { dialHalves, LAYERS, onLayer, type WatchEasel } from './easel';
import { dialShape, outline } from './outline';

/** Draws a watch, its hands' axis at the origin, on a transparent canvas. */
export function drawWatch(easel: WatchEasel): void {
  drawWatchStrap(easel);
  drawCase(easel);
  drawWall(easel);
  drawDial(easel);
  drawBezel(easel);
  drawHands(easel);
  drawGlass(easel);
}

/** A window's reflection in the crystal. */
function drawGlass(easel: WatchEasel): void {
  const { look } = easel;
  const { halfWidth, halfHeight } = dialHalves(look);
  onLayer(easel, LAYERS.glass, (layer) => {
    layer.clip(closedPath(outline(dialShape(look.caseShape), halfWidth, halfHeight)));
    const glare = layer.createLinearGradient(-halfWidth, -halfHeight, halfWidth * 0.4, halfHeight * 0.5);
    stops(glare, [0, white(0.2)], [0.42, white(0.05)], [0.43, white(0)]);
    fillBox(layer, glare, -halfWidth, -halfHeight, halfWidth * 2, halfHeight * 2);
  });
}
