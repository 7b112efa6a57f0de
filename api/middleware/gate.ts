import type { Request, Response } from 'express';

/** A step that a call passes on its way to its answer. It refuses a call by throwing, or answers it. */
export type Gate = (req: Request, res: Response) => unknown;

/** Passes gates one after the other, until one of them has answered or the deadline of the call is over. */
export async function pass(gates: readonly Gate[], req: Request, res: Response): Promise<void> {
  for (const gate of gates) {
    if (res.headersSent || res.locals.deadline?.signal.aborted) return;
    await gate(req, res);
  }
}
