import { fieldIn, isSetIn, listIn, textIn } from '../foreign.ts';

/** One replacement that a call asks for. */
interface Edit {
  original: string;
  updated: string;
  everywhere: boolean;
}

/** The replacements of a call, of one or of several; `undefined` if any of them is incomplete. */
export function editsIn(parameters: unknown): Edit[] | undefined {
  const list = listIn(parameters, 'edits') ?? [parameters];
  const edits: Edit[] = [];
  for (const element of list) {
    const original = textIn(element, 'old_string', 'oldString', 'old_str', 'oldText');
    const updated = textIn(element, 'new_string', 'newString', 'new_str', 'newText');
    // The text editor tool of Anthropic's API leaves `new_str` out to delete.
    if (original === undefined || (updated === undefined && fieldIn(element, 'old_str') === undefined))
      return undefined;
    edits.push({
      original,
      updated: updated ?? '',
      everywhere: isSetIn(element, 'replace_all', 'replaceAll', 'allow_multiple'),
    });
  }
  return edits.length === 0 ? undefined : edits;
}

// Longer results are not worth showing, and `replace_all` could ask for more than a string can hold.
const maxLength = 16_000_000;

// Every edit reads the text again. More characters than this are not read for one view.
const maxWork = 500_000_000;

/** The text after all edits in turn, or `undefined` if one does not fit: then the agent did something else. */
export function applyEdits(text: string, edits: readonly Edit[]): string | undefined {
  let current = text;
  let work = 0;
  for (const { original, updated, everywhere } of edits) {
    work += current.length;
    if (work > maxWork) return undefined;
    if (original === '') {
      // An empty passage means a new file.
      if (current !== '') return undefined;
      current = updated;
      continue;
    }
    const count = everywhere ? countOccurrences(current, original) : Number(current.includes(original));
    if (count === 0 || current.length + count * (updated.length - original.length) > maxLength) return undefined;
    // The function form, because a replacement string may contain `$&`.
    current = everywhere ? current.replaceAll(original, () => updated) : current.replace(original, () => updated);
  }
  return current;
}

function countOccurrences(text: string, passage: string): number {
  let count = 0;
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + passage.length)) count += 1;
  return count;
}
