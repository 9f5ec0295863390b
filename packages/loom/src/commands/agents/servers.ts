import type { ResultOf } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withLoom } from '../../runtime/sharing/shared-folder.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { styleFor } from '../../terminal/style.ts';
import type { Style } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';

type Server = ResultOf<'mcp.list'>['items'][number];
type ServerTool = Server['tools'][number];

/** `loom servers` */
export function listServers(call: Call): Promise<ExitCode> {
  return withServers(call, (_loom, servers) => {
    const { isJson, terminal } = call;
    const style = styleFor(terminal, 'out');
    for (const server of servers) {
      if (isJson) terminal.out(`${JSON.stringify(server)}\n`);
      else for (const line of serverLines(server, style)) terminal.out(`${line}\n`);
    }
    if (servers.length === 0)
      terminal.note(`There are no servers. ${suggest('servers --help')} says how to add one.\n`);
    return Promise.resolve(EXIT.ok);
  });
}

export function switchOff(call: Call): Promise<ExitCode> {
  return switchTools(call, false);
}

export function switchOn(call: Call): Promise<ExitCode> {
  return switchTools(call, true);
}

/** `loom servers on|off <name…>` */
function switchTools(call: Call, on: boolean): Promise<ExitCode> {
  return withServers(call, async (loom, servers) => {
    const { words, isJson, terminal } = call;
    const names = words.map((word) => servers.find(({ name }) => name === word)?.all ?? word);
    orFail(await loom.call('tool.switch', { names, on }));
    if (isJson) terminal.out(`${JSON.stringify({ names, on })}\n`);
    else noteOf(terminal, isJson)(`${words.join(', ')}: ${on ? 'on' : 'off'} in all conversations.\n`);
    return EXIT.ok;
  });
}

/** `loom servers restart <name>` */
export function restartServer(call: Call): Promise<ExitCode> {
  return withServers(call, async (loom) => {
    const { words, isJson, terminal } = call;
    const [name = ''] = words;
    const { state } = orFail(await loom.call('mcp.restart', { name }));
    if (isJson) terminal.out(`${JSON.stringify({ name, state })}\n`);
    else noteOf(terminal, isJson)(`${name}: ${state}.\n`);
    return EXIT.ok;
  });
}

/** `loom servers log <name>` */
export function showLog(call: Call): Promise<ExitCode> {
  return withServers(call, async (loom) => {
    const { words, isJson, terminal } = call;
    const [name = ''] = words;
    for (const line of orFail(await loom.call('mcp.log', { name })).lines) {
      terminal.out(
        `${isJson ? JSON.stringify(line) : showControls(`${line.at}  ${line.kind.padEnd(7)}  ${line.text}`)}\n`,
      );
    }
    return EXIT.ok;
  });
}

/** `loom servers review <tool> [--accept]` */
export function reviewTool(call: Call): Promise<ExitCode> {
  return withServers(call, async (loom, servers) => {
    const { words, options, isJson, terminal } = call;
    const [name = ''] = words;
    const tool = servers.flatMap(({ tools }) => tools).find((one) => one.name === name);
    if (tool === undefined) {
      throw new LoomError('no-such-tool', `${name} is no tool of a server that is ready`, {
        advice: `See them: ${suggest('servers')}`,
      });
    }
    const { description, parameters } = tool;
    const accepted = options.has('accept')
      ? orFail(await loom.call('tool.review', { name, description, parameters })).accepted
      : false;
    if (isJson) {
      terminal.out(`${JSON.stringify({ ...tool, accepted })}\n`);
      return EXIT.ok;
    }
    if (accepted) noteOf(terminal, isJson)(`${name} is accepted as it is described now.\n`);
    else for (const line of changeLines(tool)) terminal.out(`${showControls(line)}\n`);
    return EXIT.ok;
  });
}

/** Works with the servers, once those that are starting have answered or taken too long. */
function withServers(
  { dataDir, store, isJson, terminal }: Call,
  work: (loom: Loom, servers: readonly Server[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withLoom({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    orFail(await loom.call('tool.list', { limit: 1 }));
    return work(loom, orFail(await loom.call('mcp.list', {})).items);
  });
}

function serverLines({ name, command, url, state, message, tools }: Server, style: Style): string[] {
  const how = showControls(url ?? command ?? '');
  const why = message === undefined ? '' : `: ${showControls(message)}`;
  const head = `${style.strong(name)}  ${state}${why}  ${style.faint(how)}`;
  const width = Math.max(0, ...tools.map((tool) => tool.name.length));
  return [head, ...tools.map((tool) => toolLine(tool, width, style))];
}

function toolLine({ name, effect, description, withheld }: ServerTool, width: number, style: Style): string {
  const [sentence = ''] = showControls(description).split(/(?<=\.)\s|\n/u);
  const state =
    withheld === 'changed' ? `(changed: ${suggest(`servers review ${name}`)}) ` : withheld === 'off' ? '(off) ' : '';
  const line = `  ${withheld === undefined ? '✔' : '·'} ${name.padEnd(width)}  ${effect.padEnd(7)}  ${state}${sentence}`;
  return withheld === undefined ? line : style.faint(line);
}

function changeLines({ name, description, parameters, effect, before }: ServerTool): string[] {
  if (before === undefined) return [`${name} is described as it was accepted:`, description];
  const told = (text: string, sign: string): string[] => text.split('\n').map((line) => `${sign} ${line}`);
  const said = (one: { description: string; parameters: unknown; effect: string }): string =>
    `${one.description}\n${JSON.stringify(one.parameters, undefined, 2)}\n${one.effect}`;
  return [
    `${name} was accepted on ${before.at.slice(0, 10)} as:`,
    ...told(said(before), '-'),
    'Its server describes it now as:',
    ...told(said({ description, parameters, effect }), '+'),
    `To let models have it: ${suggest(`servers review ${name} --accept`)}`,
  ];
}
