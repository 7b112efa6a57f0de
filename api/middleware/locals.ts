import type { Caller } from '../../models/access/api-key';
import type { MemoryRoom } from '../../models/ports';
import type { Deadline } from './deadline';

declare global {
  namespace Express {
    /** What the middlewares know about a call, in the order in which they learn it. */
    interface Locals {
      requestId: string;
      /** The address pattern that matched, for metrics; absent for unknown routes. */
      route?: string;
      /** Set once the key opens the endpoint: from here on answers carry `X-Credits-*`. */
      caller?: Caller;
      /** Of an endpoint that has one. */
      deadline?: Deadline;
      /** Of a call with an `Idempotency-Key`, and the identity of its charge. */
      claimed?: { readonly idempotencyKey: string; readonly chargeId: string };
      /** Opens memory for what a call fetches, shared by key as bodies are. */
      openRoom?: () => MemoryRoom;
      /** Digest of the body of a call that may be repeated. */
      bodyDigest?: Buffer;
      /** To be told how many rows an answer had, and how many bytes of JSON. */
      answerMade?: (rows: number, bytes: number) => void;
      /** Of a body out of which they were cut, by what stands for them there (`cut-photos.ts`). */
      photos?: ReadonlyMap<string, Buffer>;
    }
  }
}
