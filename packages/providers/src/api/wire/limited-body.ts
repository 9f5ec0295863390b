/** Reads the body of an answer as text. Throws if it is longer than a number of bytes, without reading the rest. */
export async function readLimited({ body }: Response, most: number): Promise<string> {
  return body === null ? '' : readText(body.getReader(), most);
}

async function readText(reader: ReadableStreamDefaultReader<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > most) {
      await reader.cancel();
      throw new Error(`The answer has more than ${most} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
