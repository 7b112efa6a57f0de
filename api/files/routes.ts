import type { IRouter } from 'express';
import type { ApiServices } from '../api-services';
import { mountRoute } from '../middleware/mount-route';
import { PATHS } from '../paths';
import { sendDataFile } from './data-file';
import { sendImage } from './image';

/** Files that answers point to: signed price files and stored images. Neither takes a key. */
export function mountFiles(router: IRouter, services: ApiServices): void {
  mountRoute(router, PATHS.dataFile, { get: [sendDataFile(services)] });
  mountRoute(router, PATHS.image, { get: [sendImage(services)] });
}
