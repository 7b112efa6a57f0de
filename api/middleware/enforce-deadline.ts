import type { RequestHandler, Response } from 'express';
import { Deadline } from './deadline';
import './locals';

/** The first of the middleware of a call with a deadline. */
export function startDeadline(ms: number): RequestHandler {
  return (_req, res, next) => {
    const deadline = new Deadline(ms);
    res.locals.deadline = deadline;
    res.once('close', () => deadline.stop());
    next();
  };
}

/** A gate that asks a store: 504 when it does not open before the deadline, however long the store takes. */
export function withinDeadline(gate: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    let opened: readonly unknown[] | null = null;
    const passed = Promise.resolve(
      gate(req, res, (...failure: unknown[]) => {
        opened = failure;
      }),
    );
    await deadlineOf(res).enforce(passed);
    if (opened) next(...(opened as []));
  };
}

/** A gate that waits for the caller: meanwhile the clock of the deadline stands still. */
export function withoutDeadline(gate: RequestHandler): RequestHandler {
  return (req, res, next) => {
    deadlineOf(res).stop();
    return gate(req, res, (...failure: unknown[]) => {
      deadlineOf(res).go();
      next(...(failure as []));
    });
  };
}

/** Waits within such a gate for what the caller is not to blame for: meanwhile the clock goes, where the call has one. */
export async function raceDeadline<Result>(res: Response, work: Promise<Result>): Promise<Result> {
  const { deadline } = res.locals;
  if (!deadline) return work;
  deadline.go();
  try {
    return await deadline.enforce(work);
  } finally {
    deadline.stop();
  }
}

/** The deadline of a call; a route that asks without `startDeadline` before it is a mistake in the route table. */
export function deadlineOf({ locals: { deadline } }: Response): Deadline {
  if (!deadline) throw new Error('A route reads the deadline without starting it first.');
  return deadline;
}
