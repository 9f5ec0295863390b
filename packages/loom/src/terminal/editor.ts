import { spawn } from 'node:child_process';
import { LoomError } from '../command-line/failure.ts';
import { KEY_VARIABLES } from '../secrets.ts';
import type { Terminal } from './terminal.ts';

/** The editor that the user has named. */
export function chooseEditor({ env }: Terminal, advice: string): string {
  const editor = [env['VISUAL'], env['EDITOR']].find((candidate) => (candidate ?? '').trim() !== '');
  if (editor !== undefined) return editor;
  throw new LoomError('no-editor', 'neither VISUAL nor EDITOR names an editor', { advice });
}

/** Explains why an edit was not taken over, for an editor that ended with `code`. */
export function editorFailure(editor: string, code: number | null, advice = 'Nothing was changed.'): LoomError {
  const how = code === null ? 'was ended by a signal' : `ended with exit code ${code}`;
  return new LoomError('editor-failed', `the editor (${editor}) ${how}`, { advice });
}

/** Lets the user edit a file; returns the editor's exit code, or `null` if a signal ended it. */
export async function runEditor(editor: string, file: string, { env }: Terminal): Promise<number | null> {
  const isOwnKey = (name: string): boolean => KEY_VARIABLES.some(({ variable }) => variable === name);
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], {
    stdio: 'inherit',
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !isOwnKey(name))),
  });
  // Ctrl-C belongs to the editor while it runs.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    return await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
