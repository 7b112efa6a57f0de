import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';

/** Shorter answers fit into one packet anyway. */
const BYTES_MIN = 1024;
/** Most of the gain for a small part of the time, which is spent on zlib's threads. */
const GZIP_LEVEL = 4;
const BROTLI_QUALITY = 4;
/** 256 KiB instead of 4 MiB for each answer being compressed. */
const BROTLI_WINDOW_BITS = 18;

/** Compresses answers over 1 KiB for anyone who accepts it (contract 12.4), except pictures and parts of files. */
export const compress: RequestHandler = compression({
  threshold: BYTES_MIN,
  level: GZIP_LEVEL,
  brotli: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
    },
  },
  filter: (req, res) => res.statusCode !== 206 && compression.filter(req, res),
});
