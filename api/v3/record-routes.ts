import type { IRouter } from 'express';
import { badRequest } from '../../models/errors';
import type { ApiServices, ApiSettings } from '../api-services';
import { free } from '../middleware/charged-answer';
import type { Endpoints } from '../middleware/endpoints';
import { answerMade, publicAddress } from '../middleware/links';
import { mountRoute } from '../middleware/mount-route';
import { idOf } from '../middleware/request-address';
import { PATHS } from '../paths';
import {
  presentDeletion,
  presentFeedStatus,
  presentOutcomes,
  presentRecord,
  presentRecordStatus,
  presentUpload,
} from './record-presenter';

/** The endpoints that write the catalog (contract 15). */
export function mountRecords(
  router: IRouter,
  { read, once }: Endpoints,
  { records, pictures }: ApiServices,
  settings: ApiSettings,
): void {
  mountRoute(router, PATHS.writeRecords, {
    put: once('v3.records.write', 'catalog:write', 'records', (req) =>
      free(async (call) => presentOutcomes(await records.write(call, req.body))),
    ),
  });
  mountRoute(router, PATHS.storeImage, {
    post: once('v3.images.store', 'catalog:write', 'picture', (req, res) => {
      if (req.body.length === 0) throw badRequest('Send the bytes of a picture as the body.');
      return free(async ({ caller, signal }) => {
        const stored = await pictures.upload(req.body, { account: caller.accountId, signal });
        answerMade(req, res, settings, stored.address);
        return presentUpload(stored, publicAddress(req, settings));
      });
    }),
  });
  mountRoute(router, PATHS.getRecord, {
    get: read('v3.records.read', 'catalog:write', {}, (req) => {
      const id = idOf(req);
      return free(async () => presentRecord(await records.read(id), publicAddress(req, settings)));
    }),
    delete: once('v3.records.delete', 'catalog:write', 'none', (req) => {
      const id = idOf(req);
      return free(async (call) => {
        await records.remove(call, id);
        return presentDeletion(id);
      });
    }),
  });
  mountRoute(router, PATHS.getRecordStatus, {
    get: read('v3.records.status', 'catalog:write', {}, (req) => {
      const id = idOf(req);
      return free(async () => presentRecordStatus(id, await records.status(id)));
    }),
  });
  mountRoute(router, PATHS.getFeedStatus, {
    get: read('v3.feeds.status', 'catalog:write', {}, (req) => {
      const id = idOf(req);
      return free(async () => presentFeedStatus(id, await records.feedStatus(id)));
    }),
  });
}
