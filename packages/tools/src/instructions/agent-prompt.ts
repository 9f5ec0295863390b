import { stat } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import type { AgentPromptPort, Clock } from '@loom/kernel';
import { cleanText } from '@loom/blocks';
import { findInstructions } from './instruction-files.ts';
import type { InstructionFile } from './instruction-files.ts';

/** Composes what a model is told about the folder that it works in, with the instructions in it. */
export async function composeAgentPrompt(
  clock: Clock,
  { directory, instructions }: Parameters<AgentPromptPort['compose']>[0],
): Promise<string | undefined> {
  const isFolder = await stat(directory).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return undefined;
  const files = instructions ? await findInstructions(directory) : [];
  return cleanText([introduction(directory, clock.now()), ...files.map(quoted)].join('\n\n'));
}

/** The facts never change within a conversation: a clock or a mode in them would end the prompt cache. */
function introduction(directory: string, now: number): string {
  return `You work for a person in a folder of their computer, with tools. The person reads along.

- Folder: ${directory}. Relative paths start there.
- System: ${platform()} ${release()} (${arch()}); commands run in bash.
- This conversation began on ${day(now)}; current_date tells the time now.

How to work:
- Look before you change anything: search and read the code and its tests. Change no more than is asked, in the style of the code around it.
- Calls that do not depend on each other go into one message: they run side by side.
- After a change run the tests or the build, and repair what you broke. Do not commit, push or publish unless you are asked to.
- Some calls need the person's approval. If one is denied, read the reason and do something else; never reach the same by a detour.
- Long results are cut and say how to read the rest.
- Finish with a short account: what you did, how you checked it, what is left.`;
}

function quoted({ path, text, bytes, isCut }: InstructionFile): string {
  const rest = isCut ? `\n[cut: ${bytes} bytes in all; read the file for the rest]` : '';
  return `Instructions from ${path}:\n\n${text.trim()}${rest}`;
}

function day(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}
