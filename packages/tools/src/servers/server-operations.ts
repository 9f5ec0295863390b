import { z } from 'zod';
import { plainObject, stableDeepEqual } from '@loom/blocks';
import { defineOperation, refuse } from '@loom/kernel';
import type { LoomEngine, Outcome } from '@loom/kernel';
import type { ServerLink } from './server-link.ts';
import type { ListedTool } from './connect-server.ts';
import type { OwnTool, ToolServers } from './tool-servers.ts';
import { wholeServer } from './server-names.ts';

const claims = () => ({
  description: z.string(),
  parameters: plainObject.describe('A JSON schema of its arguments.'),
  effect: z.enum(['reads', 'changes']).describe('As its server says, which Loom cannot check.'),
  destructive: z.boolean().describe('True if its server says that it may destroy something.'),
});

const serverTool = () =>
  z.strictObject({
    name: z.string().describe('Its name in tool.list, by which models call it.'),
    own_name: z.string().describe('Its name on the server.'),
    ...claims(),
    withheld: z
      .enum(['off', 'changed'])
      .exactOptional()
      .describe('No model gets it: it is switched off, or is described in another way than an owner has accepted.'),
    before: z
      .strictObject({ at: z.string().describe('When it was accepted, as ISO 8601 in UTC.'), ...claims() })
      .exactOptional()
      .describe('The description that was accepted, if that has changed.'),
  });

const name = () => z.string().describe('The name of the server, from mcp.list.');

/** The operations about MCP servers, and about what is switched off of all tools. */
export function serverOperations(servers: () => Promise<ToolServers>) {
  const list = defineOperation({
    name: 'mcp.list',
    summary:
      'Lists the MCP servers of the configuration, whose tools models may use, each with its state and its tools. Servers that should run are started.',
    params: () => z.strictObject({}),
    result: () =>
      z.strictObject({
        items: z.array(
          z.strictObject({
            name: z.string(),
            all: z.string().describe('The name that stands for all of its tools in tool.switch.'),
            command: z.string().exactOptional().describe('The program and its arguments, with secrets masked.'),
            url: z.string().exactOptional(),
            state: z.enum(['off', 'starting', 'ready', 'needs-login', 'failed']),
            message: z.string().exactOptional().describe('The reason, for needs-login and failed.'),
            failures: z.int().exactOptional().describe('The number of failures in a row.'),
            retry_at: z.string().exactOptional().describe('When it is started again, as ISO 8601 in UTC.'),
            since: z.string().exactOptional().describe('Since when it is ready, as ISO 8601 in UTC.'),
            calls: z.int().describe('The calls of its tools since Loom began.'),
            tools: z.array(serverTool()),
          }),
        ),
      }),
    effect: 'reads',
    role: 'owner',
    run: async () => {
      const known = await servers();
      await known.follow();
      return { ok: true, value: { items: known.links.map((link) => describeServer(link, known.toolsOf(link))) } };
    },
  });
  const log = defineOperation({
    name: 'mcp.log',
    summary: 'Returns the last lines about an MCP server: its starts, its end, and what it wrote to its error output.',
    params: () => z.strictObject({ name: name() }),
    result: () =>
      z.strictObject({
        lines: z.array(
          z.strictObject({
            at: z.string().describe('As ISO 8601 in UTC.'),
            kind: z.enum(['started', 'ready', 'stderr', 'error', 'ended']),
            text: z.string(),
          }),
        ),
      }),
    effect: 'reads',
    role: 'owner',
    run: async (_engine, _caller, params) => {
      const found = find(await servers(), params.name);
      return found.ok ? { ok: true, value: { lines: [...found.value.log.lines] } } : found;
    },
  });
  const restart = defineOperation({
    name: 'mcp.restart',
    summary: 'Ends an MCP server, if it runs, and starts it again now.',
    params: () => z.strictObject({ name: name() }),
    result: () => z.strictObject({ state: z.enum(['off', 'starting']) }),
    effect: 'runs',
    role: 'owner',
    run: async (_engine, { type }, params) => {
      if (type !== 'person') return onlyPerson('mcp.restart');
      const known = await servers();
      await known.follow();
      const found = find(known, params.name);
      if (!found.ok) return found;
      if (known.isOff(wholeServer(params.name))) return { ok: true, value: { state: 'off' as const } };
      await found.value.restart();
      return { ok: true, value: { state: 'starting' as const } };
    },
  });
  const switchTools = defineOperation({
    name: 'tool.switch',
    summary:
      'Switches tools off for all conversations, or on again. What is off is offered to no model, and calls of it are denied.',
    params: () =>
      z.strictObject({
        names: z
          .array(z.string())
          .min(1)
          .max(1000)
          .describe('Names from tool.list; the value of all from mcp.list for a whole server, which is ended with it.'),
        on: z.boolean(),
      }),
    result: () => z.strictObject({ on: z.boolean() }),
    effect: 'changes',
    role: 'owner',
    run: async (engine, { type }, { names, on }) => {
      if (type !== 'person') return onlyPerson('tool.switch');
      const known = await servers();
      await known.follow();
      const unknown = names.findIndex((one) => !isName(engine, known, one));
      // A name that is gone can be switched on again: nothing else would take it out of the settings.
      if (unknown !== -1 && !on) return refuseValue(['names', unknown], `${names[unknown]} is no tool or server`);
      await known.switchTools(names, on);
      return { ok: true, value: { on } };
    },
  });
  const review = defineOperation({
    name: 'tool.review',
    summary:
      "Accepts the changed description of a server's tool, so that models get the tool again. Refused if it is no longer the description that was shown.",
    params: () =>
      z.strictObject({
        name: z.string().describe('From mcp.list.'),
        description: z.string().describe('The description that was shown.'),
        parameters: plainObject.describe('The parameters that were shown.'),
      }),
    result: () => z.strictObject({ accepted: z.boolean().describe('False if nothing had to be accepted.') }),
    effect: 'changes',
    role: 'owner',
    run: async (_engine, { type }, { name: wanted, description, parameters }) => {
      if (type !== 'person') return onlyPerson('tool.review');
      const known = await servers();
      for (const link of known.links) {
        const tool = known.toolsOf(link).find(({ fullName }) => fullName === wanted);
        if (tool === undefined) continue;
        if (!isShown(tool, { description, parameters }))
          return refuseValue(['description'], 'is no longer what the server says. Look at it again.');
        if (tool.withheld === 'changed') await known.accept(link, tool);
        return { ok: true, value: { accepted: tool.withheld === 'changed' } };
      }
      return refuseValue(['name'], `${wanted} is no tool of a server that is ready`);
    },
  });
  return [list, log, restart, switchTools, review] as const;
}

function describeServer(link: ServerLink, tools: readonly OwnTool[]) {
  const { settings, state, log, calls } = link;
  const { name: own, command, url } = settings;
  return {
    name: own,
    all: wholeServer(own),
    ...(command === undefined ? {} : { command: log.mask(command.join(' ')) }),
    ...(url === undefined ? {} : { url: log.mask(url) }),
    state: state.type,
    ...('message' in state ? { message: state.message } : {}),
    ...('retryAt' in state ? { failures: state.failures, retry_at: timeOf(state.retryAt) } : {}),
    ...('since' in state ? { since: timeOf(state.since) } : {}),
    calls,
    tools: tools.map(describeTool),
  };
}

function describeTool({ name: own, fullName, claims: said, withheld, before }: OwnTool) {
  return {
    name: fullName,
    own_name: own,
    ...describeClaims(said),
    ...(withheld === undefined ? {} : { withheld }),
    ...(before === undefined ? {} : { before: { at: before.at, ...describeClaims(before) } }),
  };
}

function describeClaims({ description, parameters, isReading, isDestructive }: ListedTool['claims']) {
  const effect = isReading ? ('reads' as const) : ('changes' as const);
  return { description, parameters, effect, destructive: isDestructive };
}

function isShown({ claims: now }: OwnTool, shown: Pick<ListedTool['claims'], 'description' | 'parameters'>): boolean {
  return now.description === shown.description && stableDeepEqual(now.parameters, shown.parameters);
}

function timeOf(time: number): string {
  return new Date(time).toISOString();
}

function isName(engine: LoomEngine, servers: ToolServers, wanted: string): boolean {
  return (
    servers.links.some(({ settings }) => wholeServer(settings.name) === wanted) ||
    engine.registry.allTools.some((tool) => tool.name === wanted)
  );
}

function find(servers: ToolServers, wanted: string): Outcome<ServerLink> {
  const link = servers.link(wanted);
  if (link !== undefined) return { ok: true, value: link };
  const names = servers.links.map(({ settings }) => settings.name).join(', ');
  return refuseValue(['name'], `${wanted} is none of the servers of the configuration (${names || 'there are none'})`);
}

/** No model and no program switches tools. */
function onlyPerson(operation: string) {
  return refuse({ reason: 'not-permitted', needs: 'person', operation });
}

function refuseValue(path: (string | number)[], problem: string) {
  return refuse({ reason: 'invalid-params', problems: [{ path, problem }] });
}
