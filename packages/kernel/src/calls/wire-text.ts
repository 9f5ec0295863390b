/** Lays out wire traffic for people: JSON is indented, each event of a stream is a line. Any other text stays as it is. */
export function layOut(text: string): string {
  const whole = readJson(text);
  if (whole !== undefined) return JSON.stringify(whole.value, null, 2);
  const [, head, body = ''] = HTTP_HEAD.exec(text) ?? [];
  if (head !== undefined) return `${head}\n\n${layOut(body)}`.trimEnd();
  return layOutLines(text) ?? layOutEvents(text) ?? text.trimEnd();
}

/** A line with a method and an address, or with a status, and headers: up to the first empty line. */
const HTTP_HEAD = /^((?:[A-Z]+ \S|HTTP\/|\d{3} )[^\r\n]*(?:\r?\n[^\r\n]+)*)\r?\n\r?\n(.*)$/s;

/** One document per line. */
function layOutLines(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const documents = lines.map(readJson);
  if (documents.length === 0 || documents.some((document) => document === undefined)) return undefined;
  return documents.map((document) => JSON.stringify(document?.value)).join('\n');
}

/** Server-sent events: each with its name, where it has one that its data does not repeat. */
function layOutEvents(text: string): string | undefined {
  if (!/^(?:data|event|id|:)/m.test(text)) return undefined;
  const events = text.split(/\r?\n\r?\n/).filter((event) => event.trim() !== '');
  return events.map(layOutEvent).join('\n');
}

function layOutEvent(event: string): string {
  const lines = event.split(/\r?\n/);
  const valueOf = (field: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).trimStart()] : []));
  const data = valueOf('data').join('\n');
  const [name = ''] = valueOf('event');
  if (data === '') return lines.join(' ');
  const shown = readJson(data) === undefined ? data : JSON.stringify(readJson(data)?.value);
  return name === '' || shown.includes(`"type":"${name}"`) ? shown : `${name} ${shown}`;
}

function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
