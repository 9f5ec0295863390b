import type { SessionPort } from '@loom/kernel';

/** Writes branches as sessions of agents' own programs. The code is loaded by the first call. */
export function lateSessionPort(directory: string): SessionPort {
  return {
    async open(order) {
      const { createSessionPort } = await import('@loom/exchange/exporting');
      return createSessionPort({ directory }).open(order);
    },
  };
}
