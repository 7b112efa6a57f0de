import { z } from 'zod';

/** What `/healthz` answers. */
export const healthAnswer = z.object({ status: z.literal('alive').describe('The process answers') });

/** What `/readyz` answers when the process can serve; a 503 has the same `checks`. */
export const readinessAnswer = z.object({
  status: z.literal('ready').describe('The process can serve'),
  checks: z
    .record(z.string(), z.enum(['ok', 'failed', 'starting', 'ready', 'stopping']))
    .describe('`process` (its state) and each thing that it needs: `ok` or `failed`'),
  warnings: z.array(z.string()).describe('What it serves without, though less: with the reason'),
  inference: z
    .record(z.string(), z.enum(['tensorflow', 'onnx', 'wasm', 'cpu']))
    .describe('What computes each model in the memory of this process'),
});
