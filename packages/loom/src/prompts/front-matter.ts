/** A file of a prompt: the fields at its top, and the text below them. */
export interface PromptFileText {
  fields: ReadonlyMap<string, string>;
  text: string;
}

/**
 * Reads the fields between two lines of `---`, as far as prompts use YAML: texts with or without quotes, texts over several lines, and lists,
 * which are joined with commas. A file that only begins like that is all text.
 */
export function readPromptText(file: string): PromptFileText {
  const lines = file
    .replace(/^\uFEFF/u, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  const end = lines.findIndex((line, index) => index > 0 && /^---\s*$/u.test(line));
  if (!/^---\s*$/u.test(lines[0] ?? '') || end === -1) return { fields: new Map(), text: lines.join('\n').trim() };
  return {
    fields: readFields(lines.slice(1, end)),
    text: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function readFields(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of lines) {
    const [, key, value = ''] = /^([\w-]+):(?:[ \t]+(.*))?$/u.exec(line) ?? [];
    if (key === undefined) {
      if (/^\s*(?:-\s|\S)/u.test(line) && !line.startsWith('#')) current.push(line.trim());
    } else {
      current = [value.trim()];
      fields.set(key.toLowerCase(), current);
    }
  }
  return new Map(Array.from(fields, ([key, parts]) => [key, valueOf(parts)]));
}

function valueOf([first = '', ...more]: readonly string[]): string {
  const isBlock = /^[|>][+-]?$/u.test(first);
  if (more.length > 0 && first === '' && more.every((line) => line.startsWith('- ')))
    return more.map((line) => bare(line.slice(2))).join(', ');
  const list = /^\[(.*)\]$/su.exec([first, ...more].join(' '))?.[1];
  // An argument hint such as [file] is a list with one text to YAML, and a hint to people.
  if (list !== undefined && list.includes(',')) {
    return list
      .split(',')
      .map((part) => bare(part))
      .join(', ');
  }
  return bare([...(isBlock ? [] : [first]), ...more].filter((part) => part !== '').join(' '));
}

function bare(text: string): string {
  const trimmed = text.trim();
  return /^(["'])(.*)\1$/su.exec(trimmed)?.[2] ?? trimmed;
}
