import { completePackages } from '../scripts/complete-lock.mjs';
import { readLockFile } from '../scripts/lock-file.mjs';
import type { Finding } from './finding.ts';
import { asRecord, listFiles, readText } from './repository.ts';

/** Finds what would only work on the machine of its author, what switches other checks off, and rooms that are too full. */
export function checkHygiene(root: string): Finding[] {
  const files = listFiles(root);
  return [...checkFiles(root, files), ...checkRooms(files)];
}

function checkFiles(root: string, files: readonly string[]): Finding[] {
  return files.flatMap((file) => {
    if (file === 'package-lock.json') return checkLockFile(readText(root, file));
    if (file === '.prettierignore') return [{ file, message: 'delete it: exceptions belong into .oxfmtrc.json' }];
    // Recorded histories of others name their machines.
    if (file.includes('/fixtures/')) return [];
    const text = readText(root, file);
    const findings = [...checkLines(file, text), ...checkLength(file, text)];
    return file.endsWith('package.json') ? [...findings, ...checkVersions(file, text)] : findings;
  });
}

const home = String.raw`/(?:home|Users)/(?!(?:ada|alice|bob|me|someone|user|you)\b)[\w.-]+/`;
const patterns: { pattern: RegExp; message: string }[] = [
  {
    // Only where a path begins: "tree/root/leaf" is data.
    pattern: new RegExp(String.raw`(?:(?<![\w.~$}\])/-])|(?<=file://))(?:/(?:root|work)/|${home})`, 'u'),
    message: 'this path exists on one machine only; use a relative one, or /home/user in an example',
  },
  {
    pattern: /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.[a-z]+|^\s*registry\s*=/u,
    message: 'leave the registry to the machine that installs',
  },
  {
    pattern: /(?:ox|es)lint-disable|(?:oxfmt|prettier)-ignore/u,
    message: 'meet the rule instead of switching it off',
  },
  {
    // knip passes over exports with these tags.
    pattern: /^\s*\/?\*+ @(?:public|internal|alias|beta)\b/u,
    message: 'take the tag away: it hides dead code',
  },
  {
    pattern: /^\s*(?:\/\*\*|\/\/) (?:What|Whether|How|Where|Which|Who|Why|When)\b(?!.*\?)/u,
    message: 'begin the comment with a verb or a noun that says what it documents',
  },
];

/** In tests alone: what takes the time fails on a busy machine, and so do sleeps and waits of less than a hundred seconds. */
const clock = {
  pattern:
    /\bperformance\.now\(|\bDate\.now\(\) - [a-z]|\bprocess\.(?:cpuUsage|hrtime)\b|\bAbortSignal\.timeout\(|\bwaitForTimeout\(\d|^\s*(?:test\(.*)?\{.*\btimeout: \d[\d_]* \}, (?:async )?\(|^\s+\{ (?:skip\S*, )?timeout: \d[\d_]* \},$|\btimeout: (?:[1-9]\d{0,3}|\d{1,2}_\d{3})\b/u,
  message: 'hold it by work, order or bytes instead of time, and leave time-outs to the runner: see decision 0032',
};

function checkLines(file: string, text: string): Finding[] {
  const wanted = file.endsWith('.test.ts') ? [...patterns, clock] : patterns;
  return text
    .split('\n')
    .flatMap((content, index) =>
      wanted.filter(({ pattern }) => pattern.test(content)).map(({ message }) => ({ file, line: index + 1, message })),
    );
}

/** The files that people read and change in packages. */
const source = /^packages\/.*\.(?:[jt]sx?|css)$/u;

/** Sources above this many lines hold two subjects. */
const longestSource = 500;

function checkLength(file: string, text: string): Finding[] {
  const lines = text.split('\n').length - 1;
  if (!source.test(file) || lines <= longestSource) return [];
  return [{ file, message: `split it: ${lines} lines are more than ${longestSource}` }];
}

/** So many files, tests included, may stand side by side in a folder of a package. */
const mostInRoom = 25;

function checkRooms(files: readonly string[]): Finding[] {
  const rooms = Map.groupBy(
    files.filter((file) => source.test(file)),
    (file) => file.slice(0, file.lastIndexOf('/')),
  );
  return [...rooms]
    .filter(([, inside]) => inside.length > mostInRoom)
    .map(([file, { length }]) => ({ file, message: `give it rooms: ${length} files are more than ${mostInRoom}` }));
}

function checkVersions(file: string, text: string): Finding[] {
  const manifest = asRecord(JSON.parse(text));
  return ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(asRecord(manifest[kind]))
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/u.test(String(version)))
      .map(([name, version]) => ({
        file,
        message: `pin ${name} to one exact version instead of "${String(version)}"`,
      })),
  );
}

function checkLockFile(text: string): Finding[] {
  const file = 'package-lock.json';
  const { packages } = readLockFile(text);
  const findings: Finding[] = [];
  const line = text.split('\n').findIndex((content) => /"resolved": "https?:/u.test(content)) + 1;
  if (line > 0) {
    const message =
      'the file ties everybody to one registry: set omit-lockfile-registry-resolved=true in .npmrc and run npm install';
    findings.push({ file, line, message });
  }
  const missing = Object.keys(completePackages(packages)).length - Object.keys(packages).length;
  if (missing > 0)
    findings.push({
      file,
      message: `npm ci will refuse it, ${missing} optional packages are missing: npm run lock:complete`,
    });
  return findings;
}
