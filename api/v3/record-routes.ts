import type { IRouter } from 'express';
import type { ApiServices } from '../api-services';
import { free } from '../middleware/charged-answer';
import type { Endpoints } from '../middleware/endpoints';
import { mountRoute } from '../middleware/mount-route';
import { idOf } from '../middleware/request-address';
import { PATHS } from '../paths';
import { presentDeletion, presentOutcomes, presentRecordStatus } from './record-presenter';

/** The endpoints that write the catalog (contract 15). */
export function mountRecords(
  router: IRouter,
  { records: written, change, read }: Endpoints,
  { records }: ApiServices,
): void {
  mountRoute(router, PATHS.writeRecords, {
    put: written('v3.records.write', (req) =>
      free(async (call) => presentOutcomes(await records.write(call, req.body))),
    ),
  });
  mountRoute(router, PATHS.deleteRecord, {
    delete: change('v3.records.delete', 'catalog:write', (req) => {
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
}
