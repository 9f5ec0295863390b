import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '@loom/blocks/nearest-word';
import type { ApprovalMode } from '@loom/kernel';
import type { Call } from '../command-line/command.ts';
import { UsageError } from '../command-line/failure.ts';
import type { FolderChoice } from './conversation-start.ts';
import { textOption } from './answerer.ts';

/** The modes, with what they let tools do without asking. */
export const modeWords: Readonly<Record<ApprovalMode, string>> = {
  plan: 'reads only; ends with a plan that you approve',
  ask: 'asks before it changes or runs something',
  edit: 'changes files in the folder without asking',
  sandbox: 'does everything in the sandbox without asking',
};

/** Reads --dir and --mode. `otherwise` is the folder without --dir. */
export function readFolderChoice(options: Call['options'], otherwise?: string): FolderChoice {
  const directory = textOption(options, 'dir') ?? otherwise;
  const mode = textOption(options, 'mode');
  return {
    ...(directory === undefined ? {} : { directory: readFolder(directory) }),
    ...(mode === undefined ? {} : { approval_mode: readMode(mode) }),
  };
}

/** Returns the true path of a folder; refuses what is none. */
export function readFolder(given: string): string {
  try {
    const path = realpathSync(resolve(given));
    if (statSync(path).isDirectory()) return path;
  } catch {
    // It is refused below.
  }
  throw new UsageError('bad-option', `${given} is not a folder that can be read`, {
    advice: 'Name the folder that tools are to work in, such as . for the present one.',
  });
}

export function readMode(given: string): ApprovalMode {
  const modes = Object.keys(modeWords);
  if (isMode(given)) return given;
  const guess = nearest(given, modes);
  throw new UsageError('bad-option', `there is no mode ${JSON.stringify(given)}`, {
    advice: guess === undefined ? `There are ${modes.join(', ')}.` : `Did you mean ${guess}?`,
  });
}

function isMode(text: string): text is ApprovalMode {
  return Object.hasOwn(modeWords, text);
}
