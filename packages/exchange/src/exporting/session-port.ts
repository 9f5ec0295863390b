import type { SessionPort } from '@loom/kernel';
import { namesIn, openSession } from './session-names.ts';
import { exportSource } from './source.ts';

/** The programs whose sessions can be written. */
const formats = ['claude-code', 'codex'] as const;

/** Writes branches for agents that continue them. `directory`: the working directory of a session whose conversation has no folder. */
export function createSessionPort({ directory: otherwise }: { directory: string }): SessionPort {
  return {
    async open({ state, end, format: wanted, directory, blobs }) {
      const format = formats.find((known) => known === wanted);
      if (format === undefined) return { ok: false, refusal: { reason: 'unknown-format', formats } };
      const session = openSession(state, exportSource(state, blobs), { format, end, directory, otherwise });
      const { id, path, command, lines, origins } = session;
      const notes = (): string[] => session.notes().map(({ message }) => message);
      if (origins.length === 0) return { ok: false, refusal: { reason: 'not-expressible', notes: notes() } };
      return { ok: true, session: { id, path, command, lines, notes, names: (now) => namesIn(now, session, format) } };
    },
  };
}
