/** Photos that a process has in work: enough, of several views each, for a full batch per thread while the next ones form. */
export const visionConcurrency = (threads: number): number => 8 * threads;
