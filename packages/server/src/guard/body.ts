import { fail } from '../answers/problems.ts';
import type { ProblemReason } from '../answers/problems.ts';
import { readJson } from './json-reader.ts';

/** The largest JSON body, in bytes. */
export const jsonLimit = 8 * 1024 * 1024;

/** The JSON of a request. An empty body stands for no parameters. */
export async function readJsonBody(request: Request): Promise<unknown> {
  const bytes = await readBody(request, 'application/json', jsonLimit);
  return bytes.length === 0 ? {} : readJson(bytes);
}

/** The bytes of a request, if they are of the right type and not too many. Stops reading as soon as they are. */
export async function readBody(request: Request, type: string, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of streamBody(request, type, limit)) parts.push(part);
  return Buffer.concat(parts);
}

/** Yields a body part by part, if it is too large to be held. */
export async function* streamBody(
  { headers, body }: Request,
  type: string,
  limit: number,
  tooMuch: ProblemReason = 'too-large',
): AsyncGenerator<Uint8Array> {
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity') fail('wrong-content-type');
  if (!isOfType(headers.get('content-type'), type)) fail('wrong-content-type');
  if (Number(headers.get('content-length') ?? 0) > limit) fail(tooMuch);
  if (body === null) return;
  let size = 0;
  const stream: ReadableStream<Uint8Array> = body;
  for await (const part of stream) {
    size += part.length;
    if (size > limit) fail(tooMuch);
    yield part;
  }
}

function isOfType(given: string | null, wanted: string): boolean {
  const [type = '', ...parameters] = (given ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return type === wanted && parameters.every((parameter) => /^charset="?utf-8"?$/u.test(parameter));
}
