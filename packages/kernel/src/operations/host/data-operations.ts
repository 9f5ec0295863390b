import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { refuseLimited } from '../permission.ts';

/** What knows the folder that the data is in. */
export interface DataPort {
  /** How many bytes each part of it takes. */
  sizes(): Promise<{ part: string; bytes: number }[]>;
}

export function dataOperations(port: DataPort) {
  return [
    defineOperation({
      name: 'data.sizes',
      summary: 'How much room the data folder takes, by part, in bytes.',
      params: z.strictObject({}),
      result: z.strictObject({
        total: z.int(),
        parts: z.array(z.strictObject({ part: z.string(), bytes: z.int() })),
      }),
      effect: 'reads',
      role: 'owner',
      run: async (_engine, caller) => {
        const denied = refuseLimited(caller, 'data.sizes');
        if (denied !== undefined) return denied;
        const parts = await port.sizes();
        return { ok: true, value: { total: parts.reduce((sum, { bytes }) => sum + bytes, 0), parts } };
      },
    }),
  ] as const;
}
