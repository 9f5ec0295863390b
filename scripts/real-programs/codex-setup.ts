import type { Provider } from '@loom/kernel';
import { agentEnvironment } from '@loom/providers/agent-cli';
import { createCodexProvider } from '@loom/providers/codex-cli';
import { createProcessPort } from '@loom/loom/processes';

export const systemClock = {
  now: () => Date.now(),
  after(delay: number, run: () => void) {
    const timer = setTimeout(run, delay);
    return () => clearTimeout(timer);
  },
};

/** Codex as a provider, with a home folder whose settings name an emulated model. */
export function codexFor(path: string, home: string, work: string): { codex: Provider; close: () => Promise<void> } {
  const processes = createProcessPort({ clock: systemClock });
  const environment = agentEnvironment({ ...process.env, HOME: home }, { set: { OPENAI_API_KEY: 'emulated' } });
  const program = { command: [path], environment, processes, clock: systemClock };
  const codex = createCodexProvider({ program, version: '0.1.0', directory: work });
  return {
    codex,
    async close() {
      await codex.close?.();
      await processes.close();
    },
  };
}
