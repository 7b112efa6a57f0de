/** Characters of a kept text that are read and sent at a time. */
export const TEXT_PIECE = 512 * 1024;
