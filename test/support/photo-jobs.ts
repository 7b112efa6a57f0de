import type { JobAnswer } from '../../api/client/schema';
import { VisionJobRunner } from '../../models/vision/jobs/vision-job-runner';
import { useService } from './service';

/** A service whose jobs run only when a test says so. The workers are fakes: every photo shows one bag unless a test changes it. */
export function useJobs(settings: Readonly<Record<string, string>> = {}) {
  const service = useService(settings);
  const { signal } = new AbortController();
  const rowsOf = (table: string, where: object = {}) => service.knex(table).where(where);

  service.seesInEachTest(['product_birkin_croc', 0.05]);
  // The next test would process what is left.
  afterEach(() => rowsOf('vision_jobs').delete());

  const look = () => service.resolve(VisionJobRunner).next(signal);

  /** The job as soon as all of its entries have ended, also those that are due only after a pause. */
  async function ended({ body: { id } }: { body: JobAnswer }, api = service.api): Promise<JobAnswer> {
    for (;;) {
      const { body } = await api.job(id);
      if (body.status === 'done') return body;
      const isPaused = !(await look()) && body.data.every(({ state }) => state !== 'running');
      if (isPaused) service.clock.advance(2_000);
    }
  }

  const account = (credits: number | null = null) => service.newKey({ credits });

  return { service, photo: service.photo, look, ended, account, rowsOf };
}
