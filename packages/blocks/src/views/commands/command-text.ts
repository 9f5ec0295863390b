import { isPlainObject } from '../../values/plain-object.ts';
import type { PlainObject } from '../../values/plain-object.ts';
import { integerIn, objectIn, parseJson, quantityIn, textIn } from '../foreign.ts';

/** A tool's text about a command that ran, in fields. */
export interface CommandReport {
  stdout?: string | undefined;
  stderr?: string | undefined;
  exit_code?: number | undefined;
  duration_ms?: number | undefined;
  /** Other facts worth knowing: cut, still running, timed out. Becomes the block's `metadata`. */
  notes?: PlainObject | undefined;
}

/**
 * Takes output, exit code and time out of the text that an agent shows its model; `undefined` if the text says nothing
 * about a run (the call was refused, or the arguments were wrong), so that a message is never taken for output.
 */
export type OutputFormat = (text: string, failed: boolean) => CommandReport | undefined;

/** Claude Code: the output itself, or after `Exit code N` if it failed. */
export const claudeOutput: OutputFormat = (text, failed) => {
  if (text.startsWith('<persisted-output>')) return { stdout: previewOf(text), notes: { truncated: true } };
  if (!failed) return { stdout: text };
  const match = /^(?:Error: )?Exit code (\d{1,9})(?:\n|$)/.exec(text);
  return match === null ? undefined : { stdout: text.slice(match[0].length), exit_code: Number(match[1]) };
};

/** Codex: some lines about the run, then `Output:`; a JSON object in older rollouts. */
export const codexOutput: OutputFormat = (text) => {
  if (text.startsWith('{')) return readCodexJson(text);
  const report: CommandReport = {};
  const notes: PlainObject = {};
  let position = 0;
  // Six lines are known; the limit keeps a long text without `Output:` from being read to its end.
  for (let count = 0; count < 12; count += 1) {
    const newline = text.indexOf('\n', position);
    const line = text.slice(position, newline === -1 ? text.length : newline);
    position = newline === -1 ? text.length : newline + 1;
    if (line === 'Output:') {
      report.stdout = text.slice(position);
      if (/…\d{1,12} (?:tokens|chars) truncated…/.test(report.stdout)) notes['truncated'] = true;
      return { ...report, notes };
    }
    const match =
      /^(Process exited with code|Exit code:|Wall time:|Process running with session ID) (-?\d{1,15}(?:\.\d{1,15})?)/.exec(
        line,
      );
    const value = Number(match?.[2]);
    if (match?.[1] === 'Wall time:') report.duration_ms = toMilliseconds(value);
    else if (match?.[1] === 'Process running with session ID')
      Object.assign(notes, { running: true, session_id: value });
    else if (match !== null) report.exit_code = Number.isInteger(value) ? value : undefined;
    else if (!/^(?:Chunk ID|Original token count|Total output lines|Warning): /.test(line)) return undefined;
  }
  return undefined;
};

/** Gemini CLI: `Output: …` and some labelled lines in its session files; the output alone in its stream. */
export const geminiOutput: OutputFormat = (text, failed) => {
  const inner = unwrapTag(text, 'untrusted_context');
  const start = /^(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?Output: /.exec(inner)?.[0].length;
  if (start === undefined) return failed ? undefined : { stdout: text };
  let output = inner.slice(start);
  const report: CommandReport = {};
  // Each label stands there once; the same word above it was printed by the command.
  const labels = new Set<string | undefined>();
  for (;;) {
    const newline = output.lastIndexOf('\n');
    const match = /^(Exit Code|Signal|Error|Background PIDs|Process Group PGID): ([^\n]*)$/.exec(
      output.slice(newline + 1),
    );
    if (match === null || labels.has(match[1])) break;
    labels.add(match[1]);
    if (match[1] === 'Exit Code' && /^-?\d{1,9}$/.test(match[2] ?? '')) report.exit_code = Number(match[2]);
    if (match[1] === 'Background PIDs' && match[2] !== '(none)') report.notes = { background: true };
    output = newline === -1 ? '' : output.slice(0, newline);
  }
  report.stdout = output === '(empty)' ? '' : output;
  return report;
};

/** pi: the output, and in a last paragraph how it ended if that was not well. opencode: the output. */
export const trailingOutput: OutputFormat = (text, failed) => {
  if (!failed) return { stdout: text === '(no output)' ? '' : text };
  const at = text.lastIndexOf('\n\n');
  const last = text.slice(at === -1 ? 0 : at + 2);
  const stdout = at === -1 ? '' : text.slice(0, at);
  const code = /^Command exited with code (\d{1,9})$/.exec(last)?.[1];
  if (code !== undefined) return { stdout, exit_code: Number(code) };
  const seconds = /^Command timed out after (\d{1,9}(?:\.\d{1,9})?) seconds$/.exec(last)?.[1];
  if (seconds !== undefined) return { stdout, notes: { timed_out_after_ms: toMilliseconds(Number(seconds)) } };
  return last === 'Command aborted' ? { stdout, notes: { interrupted: true } } : undefined;
};

function readCodexJson(text: string): CommandReport | undefined {
  const value = parseJson(text);
  const metadata = objectIn(value, 'metadata');
  if (!isPlainObject(value) || metadata === undefined) return undefined;
  const seconds = quantityIn(metadata, 'duration_seconds');
  return {
    stdout: textIn(value, 'output'),
    exit_code: integerIn(metadata, 'exit_code'),
    duration_ms: seconds === undefined ? undefined : toMilliseconds(seconds),
  };
}

/** The beginning that Claude Code shows of an output it has put into a file. */
function previewOf(text: string): string | undefined {
  const inner = unwrapTag(text, 'persisted-output');
  const match = /\nPreview \([^\n]{0,100}\):\n/.exec(inner);
  if (match === null) return undefined;
  const preview = inner.slice(match.index + match[0].length);
  return preview.endsWith('\n...') ? preview.slice(0, -'\n...'.length) : preview;
}

function unwrapTag(text: string, tag: string): string {
  const open = `<${tag}>\n`;
  const close = `\n</${tag}>`;
  const trimmed = text.trimEnd();
  return trimmed.startsWith(open) && trimmed.endsWith(close) ? trimmed.slice(open.length, -close.length) : text;
}

/** Seconds as text have a few decimals; their product must not show binary rounding. */
function toMilliseconds(seconds: number): number | undefined {
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1e6) / 1e3 : undefined;
}
