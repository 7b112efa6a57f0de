export const TEXT_PIECE = 512 * 1024;
