import { cleanText, fromBase64, plainObject } from '@loom/blocks';
import type { ToolBlock } from '@loom/blocks';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { PreparedCall, Tool, ToolContext, ToolInvocation, ToolOutcome } from '@loom/kernel';
import { mediaTypeOf } from '../files/read/media-type.ts';
import { preparedBy } from '../policy/permissions.ts';
import type { Permissions } from '../policy/permissions.ts';
import type { ListedTool } from './connect-server.ts';
import type { ServerLink } from './server-link.ts';

/** Makes a tool of a server one that models can call. What its server claims about it is shown to people, and permits nothing. */
export function serverTool(
  link: ServerLink,
  { name: own, claims }: ListedTool,
  name: string,
  permissions: () => Promise<Permissions>,
): Tool {
  const { settings } = link;
  return {
    name,
    description: claims.description,
    parameters: claims.parameters,
    group: 'other',
    effect: claims.isReading ? 'reads' : 'changes',
    server: settings.name,
    prepare: async (invocation, context) => prepare(await permissions(), invocation, context),
    run: (invocation, context) => run(link, own, invocation, context),
  };

  async function prepare(
    decider: Permissions,
    invocation: ToolInvocation,
    context: ToolContext,
  ): Promise<PreparedCall> {
    const { url } = settings;
    const host = url === undefined ? {} : { host: new URL(url).hostname };
    const concern = claims.isReading
      ? `${settings.name} says that it only reads, which Loom cannot check.`
      : 'It acts wherever its server reaches, outside of the folder and the sandbox.';
    // The effect decides about plan mode alone; the concern keeps every mode from letting it run unasked.
    const request = {
      tool: name,
      effect: claims.isReading ? ('reads' as const) : ('changes' as const),
      ...host,
      concern,
      offer: claims.isDestructive ? [] : [{ tool: name, effect: 'allow' as const }],
    };
    const place = url === undefined ? 'which runs on this computer with your own rights' : `at ${new URL(url).host}`;
    const text = `Calls ${own} of the server ${settings.name}, ${place}. ${concern}`;
    return preparedBy(await decider.decide(request, context), [{ type: 'text', text: cleanText(text) }]);
  }
}

async function run(
  link: ServerLink,
  tool: string,
  { parameters }: ToolInvocation,
  context: ToolContext,
): Promise<ToolOutcome> {
  const result = await link.call(tool, parameters, context.signal);
  const content: ToolBlock[] = [];
  for (const part of result.content) content.push(await readPart(part, context));
  const { structuredContent } = result;
  // Servers should say the same as text; some do not.
  if (content.length === 0 && structuredContent !== undefined)
    content.push(text(JSON.stringify(structuredContent, undefined, 2)));
  return { content, ...(result.isError === true ? { is_error: true } : {}) };
}

type Part = CallToolResult['content'][number];

async function readPart(part: Part, { blobs }: ToolContext): Promise<ToolBlock> {
  switch (part.type) {
    case 'text':
      return text(part.text);
    case 'image': {
      const bytes = bytesOf(part.data);
      const media = mediaTypeOf(bytes);
      if (media?.startsWith('image/') !== true)
        return text(`[a picture of the kind ${part.mimeType}, which cannot be shown]`);
      return { type: 'image', media_type: media, blob: await blobs.put(bytes), filename: 'picture' };
    }
    case 'resource': {
      const { resource } = part;
      return text(
        'text' in resource ? `${resource.uri}\n${resource.text}` : `[bytes of ${resource.uri}, which cannot be shown]`,
      );
    }
    case 'resource_link':
      return text(`${part.name}: ${part.uri}`);
    case 'audio':
      return text(`[sound of the kind ${part.mimeType}, which cannot be played]`);
    default:
      return text(JSON.stringify(plainObject.safeParse(part).data ?? {}));
  }
}

/** Data that is not base64 is no picture. */
function bytesOf(data: string): Uint8Array {
  try {
    return fromBase64(data);
  } catch {
    return new Uint8Array();
  }
}

function text(said: string): ToolBlock {
  return { type: 'text', text: cleanText(said) };
}
