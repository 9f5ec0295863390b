/** A JSON text with line breaks and indents; any other text, such as a stream of events, as it is. */
export function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
