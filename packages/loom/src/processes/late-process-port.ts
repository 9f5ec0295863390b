import type { Clock, ProcessPort } from '@loom/kernel';

/** Starts programs. The code is loaded by the first call. */
export function lateProcessPort(clock: Clock): ProcessPort {
  let loading: Promise<ProcessPort> | undefined;
  let isClosed = false;
  const load = async (): Promise<ProcessPort> => {
    const port = (await import('./process-port.ts')).createProcessPort({ clock });
    if (isClosed) await port.close();
    return port;
  };
  return {
    spawn: async (order) => (await (loading ??= load())).spawn(order),
    async close() {
      isClosed = true;
      await (await loading)?.close();
    },
  };
}
