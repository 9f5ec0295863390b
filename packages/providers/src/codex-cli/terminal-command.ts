import { readFile } from 'node:fs/promises';
import { isPlainObject } from '@loom/blocks';
import type { ProviderRequest, TerminalCommand } from '@loom/kernel';
import type { AgentProgram } from '../agent-cli/index.ts';
import { findSessionFile, homeOf, lastTurnIn } from './session-file.ts';

/** Returns the command that goes on with the thread of the last turn, if the branch and the thread end there. */
export async function terminalCommand(
  { command, environment }: AgentProgram,
  { trail, directory }: Pick<ProviderRequest, 'trail' | 'directory'>,
): Promise<TerminalCommand> {
  const last = trail.findLast(({ role }) => role !== 'user');
  const note = last?.note?.['codex'];
  const { thread, turn } = isPlainObject(note) ? note : {};
  if (typeof thread !== 'string' || typeof turn !== 'string') {
    const advice = 'Let it answer here first, or export the branch for it: loom export --format codex';
    return { ok: false, why: `Codex did not speak last on this branch. ${advice}` };
  }
  const path = await findSessionFile(homeOf(environment), thread);
  const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return { ok: false, why: `Codex no longer has the session ${thread}.` };
  if (lastTurnIn(text) !== turn) {
    const why =
      'The session has gone on behind this message, and a terminal goes on at its end. Go on here: Codex forks it.';
    return { ok: false, why };
  }
  const words = [...command, 'resume', thread];
  return directory === undefined ? { ok: true, words } : { ok: true, words, directory };
}
