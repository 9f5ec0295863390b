import { lineBreak, splitLines } from '../lines/lines.ts';
import { spliceText } from '../text/text-splice.ts';
import type { TextSplice } from '../text/text-splice.ts';
import { readEntries, spliceEntries } from './hunk-entries.ts';
import type { LineBreak } from './hunk-entries.ts';
import { fitHunk } from './hunk-fit.ts';
import type { NumberedText, Progress } from './hunk-fit.ts';
import type { Hunk } from './hunk.ts';
import { readPatch } from './patch-text.ts';
import type { FilePatch } from './patch-text.ts';

/** Splices in the order of the text and the displacement of each hunk in lines, or the problems, in words. */
export type PatchPlan = { ok: true; splices: TextSplice[]; offsets: number[] } | { ok: false; errors: string[] };

/**
 * Plans the effect of a unified diff of one file on a text. Each hunk is applied where it says or, with all of its context,
 * somewhere else; nothing is applied unless every hunk is.
 */
export function planPatch(text: string, patch: string): PatchPlan {
  const reading = readPatch(patch);
  if (!reading.ok) return reading;
  const { hunks, creates, deletes } = reading.patch;
  if (creates && text !== '') return refuse('the patch creates a file, but the block has text');
  const [ending, otherEnding] = lineEndings(text, reading.patch);
  const numbered = numberLines(text);
  let plan = planHunks(numbered, hunks, ending);
  if (!plan.ok && otherEnding !== undefined) plan = planHunks(numbered, hunks, otherEnding);
  if (plan.ok && deletes && spliceText(text, plan.splices) !== '') {
    return refuse('the patch deletes the file, but the block has more text than it removes');
  }
  return plan;
}

function refuse(reason: string): PatchPlan {
  return { ok: false, errors: [`${reason}; send a diff from its present text`] };
}

/**
 * Returns the endings for the lines of the patch, the first choice first. They are taken as written, with their `\r`. Only
 * if no line of the patch has one but every line of the text has, it is certain that the patch lost them on its way.
 */
function lineEndings(text: string, patch: FilePatch): [LineBreak, LineBreak?] {
  const breaks = new Set(splitLines(text).map(lineBreak));
  const isCrlf = breaks.has('\r\n') && !breaks.has('\n');
  const isBare = patch.hunks.every((hunk) => hunk.lines.every((line) => !line.endsWith('\r')));
  if (!isCrlf || !isBare) return ['\n'];
  return patch.crlfEnvelope ? ['\r\n'] : ['\n', '\r\n'];
}

function planHunks(text: NumberedText, hunks: readonly Hunk[], ending: LineBreak): PatchPlan {
  const starts = [0];
  for (const line of text.lines) starts.push((starts.at(-1) ?? 0) + line.length);
  const splices: TextSplice[] = [];
  const offsets: number[] = [];
  const errors: string[] = [];
  let progress: Progress = { displacement: 0, end: 0, changeEnd: 0 };
  for (const [index, hunk] of hunks.entries()) {
    const entries = readEntries(hunk, ending);
    const fit = fitHunk(text, { entries, start: hunk.oldStart - 1 }, progress);
    if (!fit.ok) {
      errors.push(`hunk ${index + 1} of ${hunks.length} ${fit.problem}`);
      continue;
    }
    progress = fit.progress;
    offsets.push(progress.displacement);
    for (const splice of spliceEntries(entries, starts[fit.place] ?? 0)) splices.push(splice);
  }
  return errors.length === 0 ? { ok: true, splices, offsets } : { ok: false, errors };
}

function numberLines(text: string): NumberedText {
  const lines = splitLines(text);
  const numberOf = new Map<string, number>();
  const numbers = lines.map((line) => {
    const number = numberOf.get(line) ?? numberOf.size;
    numberOf.set(line, number);
    return number;
  });
  return { lines, numbers, numberOf };
}
