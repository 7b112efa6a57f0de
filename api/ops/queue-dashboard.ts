import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { type RequestHandler, Router } from 'express';
import { hashKey } from '../../models/access/api-key';
import { isSecret, KeyLookups } from '../middleware/authenticate';

/** The dashboard loads its own scripts and styles, from here and nowhere else. */
const CONTENT_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/**
 * The queue dashboard at `/queues` (contract 14.4): read-only, for the user `operator` with the configured password.
 * @param wrongPerMinute passwords that an address may try; 0 means no limit
 */
export function queueDashboard(
  queues: readonly ConstructorParameters<typeof BullMQAdapter>[0][],
  password: string,
  wrongPerMinute: number,
): RequestHandler {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath('/queues');
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
  });
  const router = Router();
  const isRight = isSecret(`operator:${password}`);
  const passwords = new KeyLookups<true>(isRight, wrongPerMinute, { guessable: true });
  router.use(async (req, res, next) => {
    const [scheme, credentials = ''] = (req.get('authorization') ?? '').split(' ');
    const given = hashKey(Buffer.from(credentials, 'base64').toString('utf8'));
    // A browser asks without a password first.
    if (scheme?.toLowerCase() !== 'basic' || !(await passwords.find(given, req.ip ?? ''))) {
      res.status(401).set('WWW-Authenticate', 'Basic realm="Loupe queues"');
      return void res.type('text').send('Operators only.\n');
    }
    res.set('Content-Security-Policy', CONTENT_POLICY);
    next();
  });
  router.use(serverAdapter.getRouter());
  return router;
}
