import type { CommandBlock, ImageBlock, ToolBlock } from '../../content-block.ts';
import type { PlainObject } from '../../values/plain-object.ts';
import { patchView } from '../files/apply-patch.ts';
import type { CommandReport, OutputFormat } from './command-text.ts';
import { definedFields, fieldIn, integerIn, isSetIn, objectIn, quantityIn, textIn, textsOf } from '../foreign.ts';
import { imageOfUrl } from '../media.ts';
import type { Outcome } from '../outcome.ts';
import { scriptOfCommandLine, scriptOfWords } from './shell-words.ts';
import type { View } from '../view.ts';

/** Tools that run one command in a shell. `format` reads the text that this agent shows its model. */
export function commandView(format: OutputFormat): View {
  return {
    ofCall(parameters) {
      const { command, patch } = readCall(parameters);
      const changes = patch === undefined ? [] : patchView.ofCall(patch);
      return command === undefined || changes.length > 0 ? changes : [{ type: 'command', command }];
    },
    ofResult(parameters, outcome) {
      const { command, patch } = readCall(parameters);
      const changes = patch === undefined ? [] : patchView.ofResult(patch, outcome);
      if (command === undefined || changes.length > 0 || wasRefused(outcome)) return changes;
      return blocksOfRun(command, reportOf(parameters, outcome, format));
    },
  };
}

/** Codex's `command_execution` in any of its three spellings: the whole run, or as much of it as has happened. */
export function blocksOfCommandItem(item: PlainObject): ToolBlock[] {
  const words = textsOf(item['command']);
  const line = textIn(item, 'command');
  const command =
    words !== undefined ? scriptOfWords(words) : line === undefined ? undefined : scriptOfCommandLine(line);
  if (command === undefined || command === '' || textIn(item, 'status') === 'declined') return [];
  const stdout = textIn(item, 'aggregated_output', 'aggregatedOutput');
  const omitted = /\n\.\.\. (\d{1,15}) bytes omitted \.\.\.\n/.exec(stdout ?? '')?.[1];
  return blocksOfRun(command, {
    stdout,
    exit_code: integerIn(item, 'exit_code', 'exitCode'),
    duration_ms: quantityIn(item, 'durationMs') ?? durationOf(objectIn(item, 'duration')),
    notes: omitted === undefined ? undefined : { truncated: true, omitted_bytes: Number(omitted) },
  });
}

/**
 * Reads the command or the patch that a call wants to run. Older versions of Codex sent a patch as the words `apply_patch
 * <patch>`, or to that command in a script.
 */
function readCall(parameters: unknown): { command?: string; patch?: string } {
  // `action` is the Responses API's local_shell_call.
  const source = objectIn(parameters, 'action') ?? parameters;
  const words = textsOf(fieldIn(source, 'command', 'cmd'));
  if (words?.length === 2 && words[0] === 'apply_patch' && words[1] !== undefined) return { patch: words[1] };
  const command = words === undefined ? textIn(source, 'command', 'cmd', 'script') : scriptOfWords(words);
  if (command === undefined || command.trim() === '') return {};
  const patch = words === undefined ? undefined : patchScript.exec(command)?.[3];
  return patch === undefined ? { command } : { command, patch };
}

/** Codex applies the patch of such a script itself instead of running it. */
const patchScript = /^\s*apply_patch\s*<<\s*(['"]?)(\w{1,40})\1\n([^]*)\n\2\s*$/;

interface Run extends CommandReport {
  image?: ImageBlock | undefined;
}

/** The call did not get past the agent's own checks, so nothing ran. */
function wasRefused({ text }: Outcome): boolean {
  return text?.startsWith('<tool_use_error>') === true || text?.startsWith('InputValidationError: ') === true;
}

function reportOf(parameters: unknown, outcome: Outcome, format: OutputFormat): Run {
  const { details } = outcome;
  // opencode's `output` stands beside `exit`; elsewhere that name means the text for the model.
  const stdout =
    textIn(details, 'stdout') ?? (fieldIn(details, 'exit') === undefined ? undefined : textIn(details, 'output'));
  if (stdout !== undefined) {
    // A command that prints a picture: Claude Code reports it as a data URL.
    const image = isSetIn(details, 'isImage') ? imageOfUrl(stdout) : undefined;
    return {
      stdout: image === undefined ? stdout : '',
      image,
      stderr: textIn(details, 'stderr'),
      exit_code: integerIn(details, 'exitCode', 'exit_code', 'exit'),
      duration_ms: quantityIn(details, 'durationMs', 'duration_ms') ?? outcome.duration_ms,
      notes: notesOf(details),
    };
  }
  // The answer to a background start is a message of the agent, not output of the command.
  if (isSetIn(parameters, 'run_in_background', 'is_background')) return { notes: { background: true } };
  if (outcome.text === undefined) return {};
  const report = format(outcome.text, outcome.failed);
  return { ...report, notes: { ...report?.notes, ...notesOf(details) } };
}

function notesOf(details: PlainObject): PlainObject | undefined {
  const task = textIn(details, 'backgroundTaskId');
  const file = textIn(details, 'persistedOutputPath', 'fullOutputPath', 'outputPath');
  const cut =
    file !== undefined || isSetIn(details, 'truncated') || isSetIn(objectIn(details, 'truncation'), 'truncated');
  return definedFields({
    background: task === undefined ? undefined : true,
    task_id: task,
    timed_out_after_ms: quantityIn(details, 'timedOutAfterMs'),
    interrupted: isSetIn(details, 'interrupted') ? true : undefined,
    truncated: cut ? true : undefined,
    output_file: file,
    output_bytes: quantityIn(details, 'persistedOutputSize'),
  });
}

function blocksOfRun(command: string, report: Run): ToolBlock[] {
  const block: CommandBlock = { type: 'command', command };
  if (report.stdout !== undefined && report.stdout !== '') block.stdout = report.stdout;
  if (report.stderr !== undefined && report.stderr !== '') block.stderr = report.stderr;
  if (report.exit_code !== undefined) block.exit_code = report.exit_code;
  if (report.duration_ms !== undefined && Number.isFinite(report.duration_ms)) block.duration_ms = report.duration_ms;
  const metadata = definedFields(report.notes ?? {});
  if (metadata !== undefined) block.metadata = metadata;
  return report.image === undefined ? [block] : [block, report.image];
}

function durationOf(duration: PlainObject | undefined): number | undefined {
  const seconds = quantityIn(duration, 'secs');
  const nanoseconds = quantityIn(duration, 'nanos');
  return seconds === undefined || nanoseconds === undefined
    ? undefined
    : seconds * 1000 + Math.floor(nanoseconds / 1e6);
}
