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
import { runTestFiles } from './test-files.ts';

const root = join(import.meta.dirname, '..');
const usage = `npm test                    everything
npm test -- checks          all checks: ${[...checks.keys()].join(', ')}
npm test -- <check> …       some of them
npm test -- unit [text] …   the tests, or those in files whose path contains a text`;

const lanes = chooseStages(process.argv.slice(2));
if (lanes === undefined) console.error(usage);
process.exitCode = lanes === undefined ? 2 : await runStages(lanes, console.log);

/** The tests beside the checks: some of both leave a core with nothing to do. */
function chooseStages([first, ...rest]: readonly string[]): Stage[][] | undefined {
  const all = [...checks].map(([name, check]) => checkStage(name, check));
  if (first === undefined) return [all, [testStage([])]];
  if (first === 'checks' && rest.length === 0) return [all];
  if (first === 'unit') return [[testStage(rest)]];
  const chosen = all.filter(({ name }) => [first, ...rest].includes(name));
  return chosen.length === rest.length + 1 ? [chosen] : undefined;
}

function checkStage(name: string, check: Check): Stage {
  const run = async (): Promise<number> => {
    const findings = await check(root);
    for (const finding of findings) console.log(`  ${formatFinding(finding).replaceAll('\n', '\n    ')}`);
    return findings.length;
  };
  return { name, run };
}

/** Once before all of them, so that they do not build or install side by side. */
async function prepareBrowserTests(): Promise<void> {
  await installChromium(console.log);
  // The command builds itself, with the page, when it is run.
  await promisify(execFile)(join(root, 'loom'), ['--version']);
}

function testStage(texts: readonly string[]): Stage {
  const run = async (): Promise<number> => {
    const files = listSources(root)
      .filter((file) => file.endsWith('.test.ts'))
      .filter((file) => texts.length === 0 || texts.some((text) => file.includes(text)));
    if (files.length === 0) throw new Error(`no test file has a path with ${texts.join(' or ')}`);
    if (files.some((file) => file.startsWith('packages/web/e2e/'))) await prepareBrowserTests();
    return runTestFiles(root, files);
  };
  return { name: 'tests', run };
}
