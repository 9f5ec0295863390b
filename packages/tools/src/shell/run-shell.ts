import { openBlock } from '@loom/kernel';
import type { ProcessEnd, ToolContext, ToolInvocation, ToolOutcome, ToolOutput } from '@loom/kernel';
import { readParameters, refuseCall } from '../tool-text.ts';
import { OutputEnds } from './output-ends.ts';
import { noFolder } from './prepare-shell.ts';
import { shellParameters } from './shell-parameters.ts';
import type { ShellPorts } from './shell-ports.ts';
import { pour, spawnShell } from './spawn-shell.ts';
import type { ShellOrder } from './spawn-shell.ts';

/** The time that a command may take if its call does not say, in milliseconds. */
const usualTime = 120_000;

/** Runs a command and streams what it prints, or lets it go on in the background. */
export async function runShell(
  ports: ShellPorts,
  invocation: ToolInvocation,
  context: ToolContext,
  out: ToolOutput,
): Promise<ToolOutcome> {
  const read = readParameters(shellParameters, invocation);
  if (!read.ok) return refuseCall(read.problem);
  const { directory, approvalMode: mode } = context;
  if (directory === undefined) return refuseCall(noFolder);
  const { parameters } = read;
  const isReadOnly = mode === 'plan';
  const order = { directory, parameters, isReadOnly, needsSandbox: isReadOnly || mode === 'sandbox' };
  return parameters.background === true ? runBehind(ports, context, order, out) : runHere(ports, context, order, out);
}

async function runHere(
  ports: ShellPorts,
  context: ToolContext,
  order: ShellOrder,
  out: ToolOutput,
): Promise<ToolOutcome> {
  const { clock, changes: watch } = ports;
  const { directory, parameters } = order;
  const { command, timeout_ms: time = usualTime } = parameters;
  const watched = order.isReadOnly ? undefined : await watch?.begin(directory, context);
  const started = clock.now();
  // Its card is kept before it begins, so that a kill at any moment leaves a trace of it.
  const shown = openBlock(out, { type: 'command', command });
  await shown.opened;
  const spawned = await spawnShell(ports, context.processes, { ...order, time });
  if (!spawned.ok) {
    await shown.end();
    return refuseCall(`The command was not started: ${spawned.message}`);
  }
  const ends = new OutputEnds();
  await pour(spawned.process, async (stream, text) => {
    ends.push(text);
    await shown.append(stream, text);
  });
  const end = await spawned.process.ended;
  const duration = Math.max(0, clock.now() - started);
  await shown.end({ ...(end.code === undefined ? {} : { exit_code: end.code }), duration_ms: duration });
  const changes = await watched?.end();
  const note = noteOf(end, time);
  return {
    content: [
      ...(note === undefined ? [] : [{ type: 'text' as const, text: `${ends.text()}[${note}]` }]),
      // The model knows what its command does; people see which files it changed.
      ...(changes === undefined ? [] : [{ ...changes, ephemeral: true as const }]),
    ],
    ...(note === undefined ? {} : { is_error: true }),
  };
}

async function runBehind(
  ports: ShellPorts,
  context: ToolContext,
  order: ShellOrder,
  out: ToolOutput,
): Promise<ToolOutcome> {
  const started = await (
    await ports.background()
  ).start(context, (signal) => spawnShell(ports, context.processes, { ...order, signal }), order.parameters.command);
  if (!started.ok) return refuseCall(`The command was not started: ${started.message}`);
  await openBlock(out, { type: 'command', command: order.parameters.command }).end();
  const text = `Started in the background as ${started.id}. shell_output reads what it prints, shell_kill stops it. It ends with Loom at the latest.`;
  return { content: [{ type: 'text', text }] };
}

/** Says what a model has to know about an end that is not an exit; the exit code is part of the command's block. */
function noteOf({ reason, signal }: ProcessEnd, time: number): string | undefined {
  if (reason === 'time-limit') {
    return `stopped after ${time / 1_000} seconds, its time limit. Give a longer timeout_ms, or run it with background: true`;
  }
  if (reason === 'stopped') return 'stopped before it had ended';
  return signal === undefined ? undefined : `ended by the signal ${signal}`;
}
