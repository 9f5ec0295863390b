/** A table of a Markdown document, without its code marks. */
export interface MarkdownTable {
  readonly header: readonly string[];
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

/** The tables of a document, in its order. */
export function readTables(text: string): MarkdownTable[] {
  const lines = text.split('\n').map(cellsOf);
  const tables: MarkdownTable[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const header = lines[at] ?? [];
    if (header.length === 0) continue;
    const end = lines.findIndex((cells, index) => index > at && cells.length === 0);
    const body = lines.slice(at + 2, end < 0 ? undefined : end);
    // The header and the line of dashes come before the first row, and lines are counted from 1.
    tables.push({ header, rows: body.map((cells, index) => ({ line: at + 3 + index, cells })) });
    at += 1 + body.length;
  }
  return tables;
}

/** The items of a cell that lists some; a dash stands for none. */
export function listOf(cell: string): string[] {
  return cell
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && item !== '–' && item !== '-');
}

/** The cells of a table line, none for any other line. */
function cellsOf(line: string): string[] {
  const match = /^\s*\|(.*)\|\s*$/u.exec(line);
  return match === null ? [] : (match[1] ?? '').split('|').map((cell) => cell.replaceAll('`', '').trim());
}
