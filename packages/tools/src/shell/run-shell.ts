import { openBlock } from '@loom/kernel';
import type {
  PreparedCall,
  ProcessEnd,
  RunningProcess,
  ToolContext,
  ToolInvocation,
  ToolOutcome,
  ToolOutput,
} from '@loom/kernel';
import { commandEnvironment } from '../sandbox/environment.ts';
import { denyCall, readParameters, refuseCall } from '../tool-text.ts';
import { shellParameters } from './shell-parameters.ts';
import type { ShellParameters } from './shell-parameters.ts';
import type { ShellPorts } from './shell-ports.ts';
import { OutputEnds } from './output-ends.ts';

/** The time that a command may take if its call does not say, in milliseconds. */
const usualTime = 120_000;

const noFolder =
  'This conversation has no folder, so no command can run. Ask the person to choose one (loom chat --dir, or the folder above the message box).';

/** Shows a person the exact command and where it would run. */
export async function prepareShell(
  { sandbox }: ShellPorts,
  invocation: ToolInvocation,
  { directory }: ToolContext,
): Promise<PreparedCall> {
  const read = readParameters(shellParameters, invocation);
  // A call that cannot be read does nothing, so nobody is asked.
  if (!read.ok) return { permission: 'run' };
  if (directory === undefined) return denyCall(noFolder);
  const { command, network = false } = read.parameters;
  const { available, reason = '' } = await (await sandbox()).state();
  const reach = network ? 'with access to the network' : 'without network';
  const where = available
    ? `Runs in ${directory}, in a sandbox ${reach}: it can change only this folder.`
    : `Runs in ${directory} without a sandbox, with all your rights. ${reason}`;
  return {
    permission: 'ask',
    preview: [
      { type: 'command', command },
      { type: 'text', text: where },
    ],
  };
}

/** Runs a command and streams what it prints. */
export async function runShell(
  ports: ShellPorts,
  invocation: ToolInvocation,
  context: ToolContext,
  out: ToolOutput,
): Promise<ToolOutcome> {
  const read = readParameters(shellParameters, invocation);
  if (!read.ok) return refuseCall(read.problem);
  const { directory } = context;
  if (directory === undefined) return refuseCall(noFolder);
  const { command, timeout_ms: time = usualTime } = read.parameters;
  const started = ports.clock.now();
  const watched = await ports.changes?.begin(directory, context);
  const spawned = await spawnShell(ports, context, directory, read.parameters, time);
  if (!spawned.ok) return refuseCall(`The command was not started: ${spawned.message}`);
  const shown = openBlock(out, { type: 'command', command });
  const ends = new OutputEnds();
  await pour(spawned.process, async (stream, text) => {
    ends.push(text);
    await shown.append(stream, text);
  });
  const end = await spawned.process.ended;
  await shown.end({
    ...(end.code === undefined ? {} : { exit_code: end.code }),
    duration_ms: ports.clock.now() - started,
  });
  const changes = (await watched?.end()) ?? [];
  const note = noteOf(end, time);
  return {
    content: [
      ...(note === undefined ? [] : [{ type: 'text' as const, text: `${ends.text()}[${note}]` }]),
      // The model knows what its command does; people see which files it changed.
      ...(changes.length === 0
        ? []
        : [{ type: 'file-change' as const, changes: [...changes], ephemeral: true as const }]),
    ],
    ...(note === undefined ? {} : { is_error: true }),
  };
}

type Spawned = { ok: true; process: RunningProcess } | { ok: false; message: string };

async function spawnShell(
  { sandbox, environment }: ShellPorts,
  { processes }: ToolContext,
  directory: string,
  { command: line, network: hasNetwork = false }: ShellParameters,
  time: number,
): Promise<Spawned> {
  if (processes === undefined) return { ok: false, message: 'this Loom runs no programs.' };
  const box = await sandbox();
  const { available: isSandboxed } = await box.state();
  const bash = ['bash', '-c', line];
  const command = isSandboxed ? confined(() => box.confine({ directory, command: bash, hasNetwork })) : bash;
  if (command === undefined) return { ok: false, message: `the folder ${directory} cannot be read.` };
  const spawned = await processes.spawn({
    command,
    directory,
    environment: commandEnvironment(environment, isSandboxed),
    limits: { time },
  });
  return spawned.ok ? spawned : { ok: false, message: spawned.refusal.message };
}

function confined(make: () => string[]): string[] | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Passes on the output of a process as text; characters are never cut. */
export async function pour(
  { output }: RunningProcess,
  pass: (stream: 'stdout' | 'stderr', text: string) => Promise<void>,
): Promise<void> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { stream, bytes } of output) {
    const text = decoders[stream].decode(bytes, { stream: true });
    if (text !== '') await pass(stream, text);
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const rest = decoders[stream].decode();
    if (rest !== '') await pass(stream, rest);
  }
}

/** Says what a model has to know about an end that is not an exit; the exit code is part of the command's block. */
function noteOf({ reason, signal }: ProcessEnd, time: number): string | undefined {
  if (reason === 'time-limit') {
    return `stopped after ${time / 1_000} seconds, its time limit. Give a longer timeout_ms, or run it with background: true`;
  }
  if (reason === 'stopped') return 'stopped before it had ended';
  return signal === undefined ? undefined : `ended by the signal ${signal}`;
}
