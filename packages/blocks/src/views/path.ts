import { textIn } from './foreign.ts';

/** The path that a call or a report is about, under any of the names that agents give it; `undefined` if none or blank. */
export function pathIn(value: unknown): string | undefined {
  const path = textIn(value, ...pathKeys);
  return path === undefined || path.trim() === '' ? undefined : path;
}

const pathKeys = ['file_path', 'filePath', 'filepath', 'path', 'absolute_path', 'notebook_path', 'target_file', 'file'];
