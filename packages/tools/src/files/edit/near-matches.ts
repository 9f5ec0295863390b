/** Returns the number of the line at an offset, counted from 0. */
export function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Describes the passages of a text that are most like one that was not found. */
export function describeNear(text: string, wanted: string): string {
  const lines = text.split('\n');
  const wantedLines = wanted.split('\n');
  const places = nearPlaces(lines, wantedLines);
  if (places.length === 0) return ' No passage is like it. Read the file again and copy the text exactly.';
  const shown = places.map((place) => {
    const passage = lines.slice(place, place + Math.min(wantedLines.length, mostShown));
    return passage.map((line, index) => `${place + index}\t${line.slice(0, longestLine)}`).join('\n');
  });
  const same = places.some((place) =>
    wantedLines.every((line, index) => squeeze(lines[place + index]) === squeeze(line)),
  );
  const hint = same ? ' It differs only in white space from this passage' : ' The nearest passages are';
  return `${hint}:\n${shown.join('\n\n')}\nCopy the text exactly, with its indentation and without the line numbers.`;
}

/** Finds places where lines of the wanted text stand in the same order: each equal line votes for the place of the first one. */
function nearPlaces(lines: readonly string[], wanted: readonly string[]): number[] {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const key = squeeze(line);
    if (key === '') continue;
    const known = places.get(key) ?? [];
    if (known.length < mostPlaces) known.push(index);
    places.set(key, known);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of wanted.slice(0, mostWanted).entries()) {
    for (const place of places.get(squeeze(line)) ?? []) {
      const start = Math.max(0, place - index);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  }
  if (votes.size === 0) return alikeLines(lines, wanted);
  return [...votes]
    .sort(([left, most], [right, more]) => more - most || left - right)
    .slice(0, mostAnswers)
    .map(([place]) => place);
}

/** Finds the lines that share most pairs of characters with the longest line of the wanted text. */
function alikeLines(lines: readonly string[], wanted: readonly string[]): number[] {
  const [longest, index] = wanted
    .slice(0, mostWanted)
    .map((line, at): [string, number] => [squeeze(line).slice(0, longestLine), at])
    .reduce((left, right) => (right[0].length > left[0].length ? right : left), ['', 0]);
  const pairs = pairsOf(longest);
  if (pairs.size === 0) return [];
  return lines
    .slice(0, mostCompared)
    .map((line, at) => ({ at, likeness: likeness(pairs, pairsOf(squeeze(line).slice(0, longestLine))) }))
    .filter(({ likeness }) => likeness > 0.5)
    .sort((left, right) => right.likeness - left.likeness || left.at - right.at)
    .slice(0, mostAnswers)
    .map(({ at }) => Math.max(0, at - index));
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at += 1) pairs.add(text.slice(at, at + 2));
  return pairs;
}

function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared += 1;
  return (2 * shared) / (left.size + right.size);
}

function squeeze(line = ''): string {
  return line.trim().replaceAll(/\s+/gu, ' ');
}

const mostAnswers = 3;
const mostShown = 12;
const mostPlaces = 100;
const mostWanted = 200;
const mostCompared = 20_000;
const longestLine = 300;
