import type { SKRSContext2D as Context } from '@napi-rs/canvas';
import type { BagLook } from '../look/look';
import type { Camera } from '../paint/camera';

/** What the drawing of one bag is done with: the canvas (already in the bag's units), the look and the view. */
export interface BagEasel {
  readonly context: Context;
  readonly look: BagLook;
  readonly camera: Camera;
}

/** A box about the middle of a panel, in the panel's own drawing: x right, y down from its centre. */
export interface PanelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
