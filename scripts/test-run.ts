// What `npm test` runs once everything is installed: all checks, and beside them all tests.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Check } from '../checks/finding.ts';
import { formatFinding } from '../checks/finding.ts';
import { checks } from '../checks/index.ts';
import { listSources } from '../checks/repository.ts';
import type { Stage } from './stages.ts';
import { runStages } from './stages.ts';
import { installChromium } from './system-packages.ts';
import { describeSlowest, runTestFiles } from './test-files.ts';

const root = join(import.meta.dirname, '..');
const usage = `npm test                    everything
npm test -- checks          all checks: ${[...checks.keys()].join(', ')}
npm test -- <check> …       some of them
npm test -- unit [text] …   the tests, or those in files whose path contains a text
npm test -- slowest         the test files that took longest in their last runs here`;

const lanes = chooseStages(process.argv.slice(2));
if (lanes === undefined) console.error(usage);
process.exitCode = lanes === undefined ? 2 : await runStages(lanes, console.log);

/** The tests beside the checks: some of both leave a core with nothing to do. */
function chooseStages([first, ...rest]: readonly string[]): Stage[][] | undefined {
  const all = [...checks].map(([name, check]) => checkStage(name, check));
  if (first === undefined) return [all, [testStage([])]];
  if (first === 'checks' && rest.length === 0) return [all];
  if (first === 'unit') return [[testStage(rest)]];
  if (first === 'slowest' && rest.length === 0) return [[slowestStage()]];
  const chosen = all.filter(({ name }) => [first, ...rest].includes(name));
  return chosen.length === rest.length + 1 ? [chosen] : undefined;
}

function slowestStage(): Stage {
  const run = async (): Promise<number> => {
    for (const line of describeSlowest(root, 40)) console.log(line);
    return 0;
  };
  return { name: 'slowest', run };
}

function checkStage(name: string, check: Check): Stage {
  const run = async (): Promise<number> => {
    const findings = await check(root);
    for (const finding of findings) console.log(`  ${formatFinding(finding).replaceAll('\n', '\n    ')}`);
    return findings.length;
  };
  return { name, run };
}

/** Tests in a browser and those of the server as a process are given the page, which is built. */
function needsBuild(file: string): boolean {
  return file.startsWith('packages/web/e2e/') || file.startsWith('packages/loom/src/serve/');
}

/** Once before all of them, so that they do not build side by side. The command builds itself, with the page, when it is run. */
async function build(): Promise<void> {
  await promisify(execFile)(join(root, 'loom'), ['--version']);
}

function testStage(texts: readonly string[]): Stage {
  const run = async (): Promise<number> => {
    const files = listSources(root)
      .filter((file) => file.endsWith('.test.ts'))
      .filter((file) => texts.length === 0 || texts.some((text) => file.includes(text)));
    if (files.length === 0) throw new Error(`no test file has a path with ${texts.join(' or ')}`);
    if (files.some((file) => file.startsWith('packages/web/e2e/'))) await installChromium(console.log);
    if (files.some(needsBuild)) await build();
    return runTestFiles(root, files);
  };
  return { name: 'tests', run };
}
