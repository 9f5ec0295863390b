import { spliceText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import { ToolMistake } from '../file-call.ts';
import { describeNear, lineAt } from './near-matches.ts';

/** A passage to replace, as a model names it. */
export interface Passage {
  old_text: string;
  new_text: string;
  replace_all?: boolean;
}

/** Replaces passages of a text. All of them are looked for in the text as it is; if one cannot be replaced, none is. */
export function replacePassages(path: string, text: string, passages: readonly Passage[]): string {
  const usesCrlf = text.includes('\r\n');
  const splices = passages.flatMap((passage, index) => {
    const name = passages.length === 1 ? 'old_text' : `old_text of edit ${index}`;
    return findPassage(path, text, usesCrlf, passage, name);
  });
  splices.sort((left, right) => left.at - right.at);
  for (const [index, splice] of splices.entries()) {
    const next = splices[index + 1];
    if (next !== undefined && splice.at + splice.delete > next.at) {
      throw new ToolMistake(
        `Two edits of ${path} overlap at line ${lineAt(text, next.at)}. Nothing was changed. Put them into one edit.`,
      );
    }
  }
  return spliceText(text, splices);
}

function findPassage(
  path: string,
  text: string,
  usesCrlf: boolean,
  { old_text: old, new_text: updated, replace_all: all = false }: Passage,
  name: string,
): TextSplice[] {
  if (old === '') {
    throw new ToolMistake(`${name} is empty. Copy the text to replace from ${path}; to write a whole file, use write.`);
  }
  if (old === updated) throw new ToolMistake(`${name} and its new_text are equal, so nothing would change.`);
  const exact = { old, updated };
  const asCrlf = { old: withCrlf(old), updated: withCrlf(updated) };
  // A model reads lines without their \r, and writes them so.
  const used = usesCrlf && !text.includes(old) ? asCrlf : exact;
  const insert = usesCrlf && used === exact && old.includes('\r\n') ? withCrlf(updated) : used.updated;
  const places = findAll(text, used.old);
  if (places.length === 0) {
    throw new ToolMistake(`${name} does not occur in ${path}. Nothing was changed.${describeNear(text, old)}`);
  }
  if (places.length > 1 && !all) {
    const lines = places.slice(0, 10).map((place) => lineAt(text, place));
    throw new ToolMistake(
      `${name} occurs ${places.length} times in ${path}, at lines ${lines.join(', ')}${places.length > 10 ? ', …' : ''}. Nothing was changed. ` +
        'Add lines around it that make it unique, or set replace_all.',
    );
  }
  return places.map((at) => ({ at, delete: used.old.length, insert }));
}

function withCrlf(text: string): string {
  return text.replaceAll(/\r?\n/gu, '\r\n');
}

function findAll(text: string, passage: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + passage.length)) places.push(at);
  return places;
}
