/** Ids that only the answer to an earlier entry will tell: until then a text stands for one, and is replaced by it. */

const scheme = 'outbox:';

/** The text that stands for something in the answer to an entry; `path` leads to it. */
export function referenceTo(entry: string, path: readonly (string | number)[]): string {
  return `${scheme}${entry}/${path.join('/')}`;
}

/** Returns the existing entries that parameters wait for. */
export function entriesNeeded(params: unknown, isEntry: (id: string) => boolean): string[] {
  const found = new Set<string>();
  mapTexts(params, (text) => {
    const id = readReference(text)?.entry;
    if (id !== undefined && isEntry(id)) found.add(id);
    return text;
  });
  return [...found];
}

/** Replaces the references to an entry in parameters by its answer. */
export function resolveReferences(params: unknown, entry: string, answer: unknown): unknown {
  return mapTexts(params, (text) => {
    const reference = readReference(text);
    return reference?.entry === entry ? (textAt(answer, reference.path) ?? text) : text;
  });
}

function readReference(text: string): { entry: string; path: string[] } | undefined {
  if (!text.startsWith(scheme)) return undefined;
  const [entry = '', ...path] = text.slice(scheme.length).split('/');
  return { entry, path };
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  let found = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  return typeof found === 'string' ? found : undefined;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((element) => mapTexts(element, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, map)]));
}
