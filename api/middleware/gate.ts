import type { Request, Response } from 'express';

/** A step that a call passes on its way to its answer. It refuses a call by throwing, or answers it. */
export type Gate = (req: Request, res: Response) => unknown;

/** Passes gates one after the other until one has answered: 504 for one that is not passed before the call's deadline. */
export async function pass(gates: readonly Gate[], req: Request, res: Response): Promise<void> {
  for (const gate of gates) {
    if (res.headersSent) return;
    const { deadline } = res.locals;
    const passing = gate(req, res);
    await (deadline?.enforce(Promise.resolve(passing)) ?? passing);
  }
}
