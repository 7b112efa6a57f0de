import type { IRouter } from 'express';
import type { ApiServices } from '../api-services';
import { mountRoute } from '../http/mount-route';
import { sendDataFile } from './data-file';
import { sendImage } from './image';

/** Files that answers point to: signed price files and stored images. Neither takes a key. */
export function mountFiles(router: IRouter, services: ApiServices): void {
  mountRoute(router, ['/files/:kind/:variantId/:file'], { get: [sendDataFile(services)] });
  mountRoute(router, ['/images/:file'], { get: [sendImage(services)] });
}
