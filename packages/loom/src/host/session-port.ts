import type { SessionPort } from '@loom/kernel';

/** Writes branches as sessions of agents' own programs. What does the work is loaded by the first call that asks for one. */
export function lateSessionPort(directory: string): SessionPort {
  return {
    async open(order) {
      const { createSessionPort } = await import('@loom/exchange/exporting');
      return createSessionPort({ directory }).open(order);
    },
  };
}
