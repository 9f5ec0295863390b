import { basename } from 'node:path';
import { FolderError } from '@loom/data-folder/files';
import type { FolderProblem } from '@loom/data-folder/files';
import { StoreError } from '@loom/kernel/store';
import { NodeFileError } from '@loom/node-files';
import { ArchiveError } from '@loom/stores/archive';
import { LoomError } from '../command-line/failure.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { explainSystemRefusal } from './system-refusal.ts';

/** Turns an error with a code from a package into a failure of the command: what happened, and what to do. Returns anything else unchanged. */
export function asFailure(error: unknown): unknown {
  if (error instanceof FolderError) {
    const { code, ...details } = error.problem;
    return new LoomError(code, error.message, { advice: adviceFor(error.problem), details, cause: error });
  }
  if (error instanceof StoreError) {
    return new LoomError(error.code, error.message, { advice: adviceOf(error), cause: error });
  }
  if (error instanceof ArchiveError) {
    return new LoomError(error.code, error.message, { advice: error.advice, cause: error });
  }
  if (error instanceof NodeFileError) return new LoomError(error.code, error.message, { cause: error });
  return explainSystemRefusal(error);
}

/** Returns the advice of a store, with the command that follows it. */
export function adviceOf({ advice, remedy }: StoreError): string {
  switch (remedy) {
    case 'examine':
      return `${advice} To examine it: ${suggest('doctor')}`;
    case 'set-aside':
      return `${advice} To set it aside: ${suggest('doctor --set-aside')}`;
    case undefined:
      return advice;
  }
}

function adviceFor(problem: FolderProblem): string {
  switch (problem.code) {
    case 'locked': {
      const { address } = problem;
      // Commands that can work through that process do: this one wants the folder for itself.
      return address === undefined
        ? `Wait for it or end it, or use another folder with --data-dir. ${readers} work meanwhile.`
        : `End it, then try again, or use another folder with --data-dir. Meanwhile other commands work through it, and ${suggest('open')} prints a link to its page.`;
    }
    case 'lock-denied':
      return `It keeps two processes from writing at once. Correct the permissions of ${problem.file} and of its folder.`;
    case 'not-writable':
      return problem.why === 'not-made'
        ? 'Choose another one with --data-dir, or correct the permissions of the folders above it.'
        : `Copy it and name the copy with --data-dir. ${readers} work here.`;
    case 'no-data':
      return `Name the folder with your data with --data-dir, or start a conversation there: ${suggest('chat')}`;
    case 'two-stores':
      return `A folder keeps one store. Move one of them out of the folder: ${problem.database} and every file whose name begins with that, or every log.jsonl (forest/log.jsonl and those in the folders of conversations).`;
    case 'not-empty':
      return 'Name another folder with --data-dir, or move this data aside with --replace; nothing is deleted.';
    case 'not-movable':
      return 'Restore into another folder with --data-dir, for example one inside it. Nothing was changed.';
    case 'restoration-cut-short': {
      const before = problem.aside === undefined ? '' : ` What was there before is in ${problem.aside}.`;
      return `Correct that and try again: the next command completes it.${before}`;
    }
    case 'restoration-unknown': {
      const name = basename(problem.folder);
      return `What was there before is still in place, or in the newest ${name}.before-restore-… beside it; what was restored is in ${name}.restore-…. Move back what you want to keep, then remove that file.`;
    }
  }
}

const readers = 'Commands that only read (ls, show, tree, read, search, …)';
