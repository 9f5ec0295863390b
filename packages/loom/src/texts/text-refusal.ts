import { diffTexts } from '@loom/blocks';
import type { Answer, Refusal } from '@loom/kernel';
import { showControls } from '../chat/column.ts';
import { LoomError } from '../failure.ts';
import { refusalError } from '../runtime/refusal-error.ts';
import type { TextPlace } from './text-place.ts';

/** What a block tool answered about a text, or its refusal as a failure. */
export function orExplain<Value extends object>(answer: Answer<Value>, place: TextPlace): Value {
  if (isAnswer(answer)) return answer;
  throw explain(answer.refusal, place);
}

function isAnswer<Value extends object>(answer: Answer<Value>): answer is Value {
  return !('refusal' in answer);
}

/** A refusal of a block tool in the words of the command line. */
function explain(refusal: Refusal, place: TextPlace): LoomError {
  const { name, word } = place;
  const { refusal: inner, reason: _reason, message: _message, ...facts } = refusal;
  const details = inner === undefined ? facts : { ...facts, refusal: inner };
  if (refusal.reason === 'batch-failed' && inner !== undefined) {
    const { message, advice } = explain(inner, place);
    const what = `operation ${(refusal.op_index ?? 0) + 1} cannot be made, so none was: ${message}`;
    return new LoomError(refusal.reason, what, { ...(advice === undefined ? {} : { advice }), details });
  }
  const { start_line: start = 0, end_line: end = start } = refusal;
  switch (refusal.reason) {
    case 'text-mismatch':
      return new LoomError(
        refusal.reason,
        `${spellLines(start, end)} of ${name} ${end - start === 1 ? 'is' : 'are'} not what was expected:\n${compare(refusal)}`,
        { advice: `Have another look: loom read ${word} --lines ${start}:${end}`, details },
      );
    case 'line-out-of-range': {
      const { line = 0, line_count: count = 0 } = refusal;
      const lines = count === 1 ? 'one line, which is line 0' : `${count} lines, counted from 0`;
      return new LoomError(refusal.reason, `${name} has no line ${line}`, {
        advice: count === 0 ? `${name} is empty: insert at line 0.` : `It has ${lines}. See loom read ${word}`,
        details,
      });
    }
    case 'version-mismatch':
      if (refusal.start_line === undefined) break;
      return new LoomError(refusal.reason, `${spellLines(start, end)} of ${name} changed since that version`, {
        advice: `Have another look: loom read ${word}`,
        details,
      });
    default:
  }
  const { message, advice } = refusalError(refusal);
  return new LoomError(refusal.reason, message, {
    ...(advice === undefined ? {} : { advice: speakAsCommand(advice) }),
    details,
  });
}

function spellLines(start: number, end: number): string {
  if (end - start <= 1) return `line ${start}`;
  return `lines ${start} to ${end - 1}`;
}

/** What was expected and what is there, as a small diff. */
function compare({ expected = '', actual = '' }: Refusal): string {
  const [there, wanted] = [actual, expected].map((text) => `${text.replaceAll('\r\n', '\n').replace(/\n$/, '')}\n`);
  const lines = diffTexts(wanted ?? '', there ?? '').flatMap((hunk) => hunk.lines);
  return ['--- expected', '+++ there', ...lines].map(showControls).join('\n');
}

/** The kernel speaks of its tools; people know the commands. */
function speakAsCommand(advice: string): string {
  return advice.replaceAll(/block\.(read|history|diff)/gi, (_, tool: string) => `loom ${tool.toLowerCase()}`);
}
