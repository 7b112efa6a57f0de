import type { RequestHandler, Response } from 'express';
import { Deadline } from './deadline';
import './locals';

/** The first of the gates of a call with a deadline. */
export function startDeadline(ms: number): RequestHandler {
  return (_req, res, next) => {
    const deadline = new Deadline(ms);
    res.locals.deadline = deadline;
    res.once('close', () => deadline.stop());
    next();
  };
}

/** A gate that asks a store: 504 when it does not open before the deadline, however long the store takes. */
export function inTime(gate: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    let opened: readonly unknown[] | null = null;
    const passed = Promise.resolve(
      gate(req, res, (...failure: unknown[]) => {
        opened = failure;
      }),
    );
    await deadlineOf(res).keptBy(passed);
    if (opened) next(...(opened as []));
  };
}

/** A gate that waits for the caller: meanwhile the clock of the deadline stands still. */
export function unhurried(gate: RequestHandler): RequestHandler {
  return (req, res, next) => {
    deadlineOf(res).stop();
    return gate(req, res, (...failure: unknown[]) => {
      deadlineOf(res).go();
      next(...(failure as []));
    });
  };
}

/** The deadline of a call; a route that asks without `startDeadline` before it is a mistake in the route table. */
export function deadlineOf({ locals: { deadline } }: Response): Deadline {
  if (!deadline) throw new Error('A route reads the deadline without starting it first.');
  return deadline;
}
