import type { FileChange, Source } from '@loom/blocks';

export const prose = `Found it. \`highWaters\` builds a day with \`setHours(24)\`, which is 24 hours in the time zone of the *machine*. On 1 November a day in New York has **25 hours**, so the last high water falls outside.[1]

## What to do

1. Compute the day in the station's own zone
2. Run the tests in four zones
   - [x] Europe/Paris
   - [ ] Australia/Lord_Howe

| zone | hours on 1 Nov | high waters |
| --- | ---: | ---: |
| America/New_York | 25 | 4 |
| Australia/Lord_Howe | 24 | 4 |

> A day is what the clocks of the place say.

\`\`\`ts
export function highWaters(station: Station) {
  // local day, in the zone of the station
  return extremes(station, station.timeZone);
}
\`\`\`

![a tide curve](https://example.org/tide.png) and [the proposal](https://tc39.es/proposal-temporal).`;

export const sources: readonly Source[] = [
  {
    id: '1',
    url: 'https://tc39.es/proposal-temporal/docs/timezone.html',
    title: 'Temporal: time zones and resolving ambiguity',
  },
  { id: '2', url: 'https://www.iana.org/time-zones', title: 'Time zone database: theory and pragmatics' },
];

export const code = `export function highWaters(station: Station) {
  // local day, in the zone of the station
  const zone = station.timeZone;
  return extremes(station, zone);
}
`;

const diff = `--- src/forecast.ts
+++ src/forecast.ts
@@ -41,6 +41,6 @@ export function highWaters
 export function highWaters(station: Station, day: string) {
-  const start = new Date(\`\${day}T00:00:00\`);
-  const end = new Date(start);
-  end.setHours(24, 0, 0, 0);
+  const zone = station.timeZone;
+  const start = Temporal.PlainDate.from(day).toZonedDateTime(zone);
+  const end = start.add({ days: 1 });
   return extremes(station, start, end).filter((x) => x.high);
 }
@@ -88,3 +88,3 @@
-const limit = 24;
+const limit = hoursOf(day);
 export { limit };
 // end
`;

export const oneChange: readonly FileChange[] = [{ path: 'src/forecast.ts', kind: 'modify', diff }];

export const manyChanges: readonly FileChange[] = [
  {
    path: 'src/utc.ts',
    kind: 'add',
    diff: `--- /dev/null\n+++ src/utc.ts\n@@ -0,0 +1,2 @@\n+export const zone = 'UTC';\n+export default zone;\n`,
  },
  { path: 'src/forecast.ts', kind: 'modify', diff },
  {
    path: 'src/offsets.json',
    kind: 'delete',
    diff: `--- src/offsets.json\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-{ "Paris": 1,\n-  "Oslo": 1 }\n`,
  },
  { path: 'src/zone.ts', kind: 'rename', from: 'src/tz.ts' },
];

export const tests = `✔ spring tide at Brest (3 ms)
✔ neap tide at Brest (2 ms)
${Array.from({ length: 42 }, (_, index) => `✔ station ${index + 1} (1 ms)`).join('\n')}
`;

export const failure = `✖ four extremes on the day the clocks change (11 ms)
  expected 4, got 3: 2026-11-01 window is 24 h, the local day has 25
`;
