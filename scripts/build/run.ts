// Makes a build of the loom command and prints the path of its program. `./loom` runs this when the last build is not of the
// present sources; whether it is, `./loom` alone decides. `npm run build` makes one in any case.
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Build } from './builds.ts';
import { beginBuild } from './builds.ts';

const root = join(import.meta.dirname, '../..');
let build: Build | undefined;
try {
  build = await beginBuild(root);
  say('Building the loom command.');
  // Loaded late: a missing bundler is as good a reason as any other not to have a build.
  const [{ bundle }, { pageFiles }] = await Promise.all([import('./bundle.ts'), import('./page.ts')]);
  const command = await bundle(root, build.folder);
  const page = await pageFiles(root, () => say('Building the page.'));
  console.log(await build.publish([...command, ...page]));
} catch (error) {
  process.exitCode = 1;
  say(`It could not be built, so it runs from its sources, which takes longer: ${messageOf(error)}`);
  rememberFailure();
}

/** Notes that the build failed; without the note the next command tries it again. */
function rememberFailure(): void {
  try {
    build?.giveUp();
    if (build !== undefined) say('The next attempt is made when a source has changed, or by `npm run build`.');
  } catch (error) {
    say(`That could not be noted either, so each command tries it again: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return stripVTControlCharacters(error instanceof Error ? error.message : String(error)).trim();
}

// Standard output is for the path.
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
