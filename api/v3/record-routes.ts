import type { IRouter, RequestHandler } from 'express';
import type { ApiServices } from '../api-services';
import type { AnswerCharged } from '../middleware/charged-answer';
import type { EndpointMiddleware } from '../middleware/endpoint-middleware';
import { mountRoute } from '../middleware/mount-route';
import { refuseBrokenText } from '../middleware/parse-json-object';
import { pathParameter } from '../middleware/path-parameter';
import { PATHS } from '../paths';
import { presentDeletion, presentOutcomes, presentRecordStatus } from './record-presenter';

/** The endpoints that write the catalog (contract 15). */
export function mountRecords(
  router: IRouter,
  middleware: EndpointMiddleware,
  services: ApiServices,
  answer: AnswerCharged,
): void {
  mountRoute(router, PATHS.writeRecords, {
    put: [...middleware.records('v3'), writeRecords(services, answer)],
  });
  mountRoute(router, PATHS.deleteRecord, {
    delete: [...middleware.change('v3'), deleteRecord(services, answer)],
  });
  mountRoute(router, PATHS.showRecordStatus, {
    get: [...middleware.changed('v3'), showRecordStatus(services, answer)],
  });
}

function writeRecords({ records }: ApiServices, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    await answer(req, res, 'v3.records.write', async (call) => {
      const outcomes = await records.write(call, req.body);
      return { value: presentOutcomes(outcomes), price: 0 };
    });
  };
}

function deleteRecord({ records }: ApiServices, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    const id = pathParameter(req, 'id');
    refuseBrokenText(id, 'id');
    await answer(req, res, 'v3.records.delete', async (call) => {
      await records.remove(call, id);
      return { value: presentDeletion(id), price: 0 };
    });
  };
}

function showRecordStatus({ records }: ApiServices, answer: AnswerCharged): RequestHandler {
  return async (req, res) => {
    const id = pathParameter(req, 'id');
    refuseBrokenText(id, 'id');
    await answer(req, res, 'v3.records.status', async () => {
      return { value: presentRecordStatus(id, await records.status(id)), price: 0 };
    });
  };
}
