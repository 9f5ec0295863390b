import { z } from 'zod';
import { cleanText } from '@loom/blocks';
import type { PreparedCall, ToolContext, ToolInvocation, ToolOutcome } from '@loom/kernel';
import { preparedBy } from '../policy/permissions.ts';
import { readParameters, refuseCall } from '../tool-text.ts';
import { httpGet, urlProblem } from './http-get.ts';
import { pageText } from './page-text.ts';
import type { WebPorts } from './web-ports.ts';

/** The time that reading a page may take, in milliseconds. */
const mostTime = 30_000;
/** The characters that one call returns. */
const mostShown = 50_000;

const parameters = z.strictObject({
  url: z
    .string()
    .refine((text) => URL.canParse(text), { error: 'must be a full address, such as https://example.org/page' }),
  start: z.int().nonnegative().exactOptional(),
});

type ReadCall = { ok: true; url: URL; start: number } | { ok: false; problem: string };

function readCall(invocation: ToolInvocation): ReadCall {
  const read = readParameters(parameters, invocation);
  if (!read.ok) return read;
  const url = new URL(read.parameters.url);
  url.hash = '';
  const problem = urlProblem(url);
  return problem === undefined ? { ok: true, url, start: read.parameters.start ?? 0 } : { ok: false, problem };
}

/** Asks a person about the host, unless a rule allows it. */
export async function prepareFetch(
  { permissions }: WebPorts,
  invocation: ToolInvocation,
  context: ToolContext,
): Promise<PreparedCall> {
  const read = readCall(invocation);
  if (!read.ok) return { permission: 'run' };
  const { url } = read;
  const host = url.hostname;
  const offer = [{ tool: 'fetch_url', host, effect: 'allow' as const }];
  // It starts no program, so no sandbox is needed.
  const request = { tool: 'fetch_url', effect: 'runs' as const, host, isSandboxed: true, offer };
  const decision = await (await permissions()).decide(request, context);
  const text = `Reads ${url.href}\nThe address itself tells ${host} what the model asks for.`;
  return preparedBy(decision, [{ type: 'text', text: cleanText(text) }]);
}

/** Reads a page and returns its text. */
export async function runFetch(
  { clock, network = {} }: WebPorts,
  invocation: ToolInvocation,
  { signal }: ToolContext,
): Promise<ToolOutcome> {
  const read = readCall(invocation);
  if (!read.ok) return refuseCall(read.problem);
  const late = new AbortController();
  const cancel = clock.after(mostTime, () => late.abort());
  try {
    const got = await httpGet(read.url, network, AbortSignal.any([signal, late.signal]));
    if (!got.ok) return refuseCall(got.problem);
    const page = pageText(got.bytes, got.type, got.url);
    if (!page.ok) return refuseCall(`${got.url} cannot be read: ${page.problem}`);
    const isFailure = got.status >= 400;
    const cut = got.isCut ? ' Only its first 5 MB were read.' : '';
    const head = `${got.url}${page.title === undefined ? '' : `\n${page.title}`}${isFailure ? `\n[status ${got.status}]` : ''}`;
    const text = cleanText(`${head}\n\n${shown(page.text, read.start)}${cut === '' ? '' : `\n[${cut.trim()}]`}`);
    return {
      content: [
        { type: 'text', text },
        { type: 'sources', sources: [{ id: 'page', url: got.url, title: cleanText(page.title ?? '') }] },
      ],
      ...(isFailure ? { is_error: true } : {}),
    };
  } catch (error) {
    if (late.signal.aborted) return refuseCall(`${read.url.href} did not answer within ${mostTime / 1000} seconds.`);
    return refuseCall(`${read.url.href} cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    cancel();
  }
}

function shown(text: string, start: number): string {
  const part = text.slice(start, start + mostShown);
  const end = start + part.length;
  if (part === '' && start > 0) return `[the text has only ${text.length} characters]`;
  return end < text.length ? `${part}\n[… ${text.length - end} more characters: call again with start: ${end}]` : part;
}
