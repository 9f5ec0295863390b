import type { FileChangeBlock } from '@loom/blocks';
import { openBlock } from '@loom/kernel';
import type { ProcessEnd, ToolContext, ToolInvocation, ToolOutcome, ToolOutput } from '@loom/kernel';
import { readParameters, refuseCall } from '../tool-text.ts';
import { ForegroundCommand } from './foreground-commands.ts';
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
  const running = new ForegroundCommand(clock, context.signal, time);
  const { controller } = running;
  const spawned = await spawnShell(ports, context.processes, { ...order, signal: controller.signal });
  if (!spawned.ok) {
    running.release();
    await shown.end();
    return refuseCall(`The command was not started: ${spawned.message}`);
  }
  const { process } = spawned;
  const ends = new OutputEnds();
  let push: ((text: string) => void) | undefined;
  const poured = pour(process, async (stream, text) => {
    if (push !== undefined) return push(text);
    ends.push(text);
    return shown.append(stream, text);
  });
  ports.foreground.set(context.node, running);
  const isWished = await Promise.race([poured.then(() => false), running.wish.then(() => true)]);
  ports.foreground.delete(context.node);
  if (isWished) {
    const background = await ports.background();
    const adopted = background.adopt(context, command, { process, controller, printed: ends.text(), poured });
    ({ push } = adopted);
    running.release(adopted.id);
    await shown.end();
    return { content: [{ type: 'text', text: movedWords(adopted.id) }, ...seen(await watched?.end())] };
  }
  const end = running.endOf(await process.ended);
  running.release();
  const duration = Math.max(0, clock.now() - started);
  await shown.end({ ...(end.code === undefined ? {} : { exit_code: end.code }), duration_ms: duration });
  const changes = await watched?.end();
  const removed = await spawned.removed;
  const note = removed.length === 0 ? noteOf(end, time) : removedNote(removed);
  return {
    content: [
      ...(note === undefined ? [] : [{ type: 'text' as const, text: `${ends.text()}[${note}]` }]),
      ...seen(changes),
    ],
    // A stop by a person is no failure.
    ...(note === undefined || end.isByPerson === true ? {} : { is_error: true }),
  };
}

/** The files that a command changed, for people: the model knows what its command does. */
function seen(changes: FileChangeBlock | undefined): ToolOutcome['content'] {
  return changes === undefined ? [] : [{ ...changes, ephemeral: true }];
}

function movedWords(id: string): string {
  return `A person moved this command to the background, where it goes on as ${id} without a time limit. shell_output reads what it prints, shell_kill stops it. It ends with Loom at the latest.`;
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

function removedNote(removed: readonly string[]): string {
  const names = [...new Set(removed.map((path) => path.replace(/^.*\/\.git(?:\/|$)/u, '')))].map(
    (name) => name || '.git',
  );
  return `Loom removed from the repository what the command had put there (${names.join(', ')}): git would have run programs because of it`;
}

/** Says what a model has to know about an end that is not an exit; the exit code is part of the command's block. */
function noteOf({ reason, signal, isByPerson }: ProcessEnd & { isByPerson?: true }, time: number): string | undefined {
  if (reason === 'time-limit') {
    return `stopped after ${time / 1_000} seconds, its time limit. Give a longer timeout_ms, or run it with background: true`;
  }
  if (isByPerson === true)
    return 'a person stopped this command before it had ended, and wants you to go on without it';
  if (reason === 'stopped') return 'stopped before it had ended';
  return signal === undefined ? undefined : `ended by the signal ${signal}`;
}
