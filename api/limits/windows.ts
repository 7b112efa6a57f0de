/** Windows in which calls are counted, with their length. */
export const WINDOW_SECONDS = { second: 1, minute: 60 } as const;
export type Window = keyof typeof WINDOW_SECONDS;
