import type { Knex } from 'knex';
import { PORTS } from '../../models/ports';
import { VisionJobRunner } from '../../models/vision/jobs/vision-job-runner';
import type { JobAnswer } from './api-client';
import { useService } from './service';

/** The beginning of a picture, and nothing after it. */
export const DAMAGED_PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]).toString(
  'base64',
);

/**
 * A service whose jobs are worked off by the tests of a file. The workers are replaced: every photo shows one bag, until a
 * test says otherwise.
 */
export function useJobs(settings: Readonly<Record<string, string>> = {}) {
  const service = useService(settings);
  const { signal } = new AbortController();
  const photo = { base64: '' };
  const rowsOf = (table: string, where: object) => service.resolve<Knex>(PORTS.Knex)(table).where(where);

  beforeAll(async () => {
    photo.base64 = (await service.photo()).toString('base64');
  });
  beforeEach(async () => {
    service.queue.reset();
    await service.sees(['product_birkin_croc', 0.05]);
  });
  // What a test leaves behind would be looked at in the next.
  afterEach(() => rowsOf('vision_jobs', {}).delete());

  /** The service looks by itself every second; a test has no time for that. */
  const look = () => service.resolve<VisionJobRunner>(VisionJobRunner as never).next(signal);

  /** The job as soon as all of its entries have ended. */
  async function ended({ body: { id } }: { body: JobAnswer }, api = service.api): Promise<JobAnswer> {
    for (;;) {
      const { body } = await api.job(id);
      if (body.status === 'done') return body;
      await look();
    }
  }

  /** A client of a fresh account. */
  const account = (credits: number | null = null) => service.newKey({ credits });

  return { service, photo, look, ended, account, rowsOf };
}
