import { homeAround, isAbsolutePath } from '@loom/blocks';
import type { PathBase } from '@loom/blocks';

/** A program that opens a file by its address. */
export interface Editor {
  readonly name: string;
  /** The address of a file, with `{path}`, `{line}` and `{column}` in their places. */
  readonly address: string;
}

export const editors: readonly Editor[] = [
  { name: 'VS Code', address: 'vscode://file{path}:{line}' },
  { name: 'VS Code Insiders', address: 'vscode-insiders://file{path}:{line}' },
  { name: 'VSCodium', address: 'vscodium://file{path}:{line}' },
  { name: 'Cursor', address: 'cursor://file{path}:{line}' },
  { name: 'Windsurf', address: 'windsurf://file{path}:{line}' },
  { name: 'Zed', address: 'zed://file{path}:{line}' },
  { name: 'IntelliJ IDEA', address: 'idea://open?file={path}&line={line}' },
  { name: 'Sublime Text', address: 'subl://open?url=file://{path}&line={line}' },
  { name: 'TextMate', address: 'txmt://open?url=file://{path}&line={line}' },
];

/** Schemes that a browser handles itself, some of which run what stands behind them. */
const ofBrowsers = /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source|https?|wss?|ftp|mailto)$/iu;

/** Returns the reason that an address cannot open files; `undefined` if it can. */
export function editorProblem(address: string): string | undefined {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/u.exec(address)?.[1];
  if (scheme === undefined) return 'Begin with the scheme of the editor, such as vscode://.';
  if (ofBrowsers.test(scheme)) return `${scheme}: belongs to the browser. Use the scheme of an editor.`;
  if (!address.includes('{path}')) return 'Put {path} where the path of the file belongs.';
  return undefined;
}

/**
 * Returns the address that opens a file in an editor, for a whole path in the folder of the conversation or in the home folder;
 * `undefined` for any other.
 */
export function editorAddress(address: string, path: string, base: PathBase, line = 1): string | undefined {
  if (editorProblem(address) !== undefined || !isAbsolutePath(path)) return undefined;
  const parts = path.split(/[/\\]/u);
  if (parts.some((part) => part === '..')) return undefined;
  const { folder, home = homeAround(folder) } = base;
  if (![folder, home].some((around) => around !== undefined && isBelow(parts, around))) return undefined;
  const [drive = '', ...rest] = parts;
  const written = [drive === '' ? '' : `/${drive}`, ...rest.map(encodeURIComponent)].join('/');
  return address.replaceAll('{path}', written).replaceAll('{line}', String(line)).replaceAll('{column}', '1');
}

function isBelow(parts: readonly string[], around: string): boolean {
  const folder = around.replace(/[/\\]+$/u, '').split(/[/\\]/u);
  return folder.length > 1 && parts.length > folder.length && folder.every((part, index) => part === parts[index]);
}

/** The name of the editor that an address belongs to. */
export function editorName(address: string): string {
  return editors.find((editor) => editor.address === address)?.name ?? address.slice(0, address.indexOf(':'));
}
