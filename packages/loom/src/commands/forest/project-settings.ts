import { isAbsolute } from 'node:path';
import type { ResultOf } from '@loom/kernel';
import { showControls } from '../../chat/drawing/column.ts';
import { readFolder } from '../../chat/folder-choice.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Loom } from '../../runtime/loom.ts';
import { projectNamed } from '../../runtime/named-project.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { count } from '../../terminal/progress.ts';
import { orFail } from '../../words/refusal-error.ts';

type Project = ResultOf<'project.get'>;

/** `loom projects show <project>` */
export function showProject(call: Call): Promise<ExitCode> {
  return withProject(call, (loom, project) => tell(loom, project, call));
}

/** `loom projects configure <project> <key> <value>` */
export function changeProject(call: Call): Promise<ExitCode> {
  const [, key = '', value = ''] = call.words;
  return configure(call, key, readValue(key, value));
}

/** `loom projects reset <project> <key>` */
export function resetProject(call: Call): Promise<ExitCode> {
  return configure(call, call.words[1] ?? '', null);
}

function configure(call: Call, key: string, value: string | boolean | null): Promise<ExitCode> {
  return withProject(call, async (loom, { project }) => {
    orFail(await loom.call('root.configure', { project, config: { [key]: value } }));
    await tell(loom, orFail(await loom.call('project.get', { project })), call);
  });
}

async function withProject(call: Call, work: (loom: Loom, project: Project) => Promise<void>): Promise<ExitCode> {
  const { words, dataDir, store, isJson, terminal } = call;
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  await withPresentData({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    await work(loom, await findProject(loom, words[0] ?? ''));
  });
  return EXIT.ok;
}

/** Finds a project by its name or id, or by a folder of it, also one in which no conversation has begun yet. */
async function findProject(loom: Loom, name: string): Promise<Project> {
  const isFolder = isAbsolute(name) || /^\.{1,2}(?:[/\\]|$)/u.test(name);
  const place = isFolder ? { directory: readFolder(name) } : { project: await projectNamed(loom, name) };
  if (place.project === '')
    throw new UsageError('project-not-found', 'conversations without a project have no settings', {
      advice: 'Name a project, or a folder such as . for the present one.',
    });
  return orFail(await loom.call('project.get', place));
}

function readValue(key: string, given: string): string | boolean {
  if (key !== 'instructions') return given;
  if (given === 'on' || given === 'true') return true;
  if (given === 'off' || given === 'false') return false;
  throw new UsageError('bad-value', `instructions is on or off, not ${JSON.stringify(given)}`);
}

async function tell(loom: Loom, project: Project, { terminal, isJson }: Call): Promise<void> {
  if (isJson) {
    terminal.out(`${JSON.stringify({ ok: true, ...project })}\n`);
    return;
  }
  const { name, project: id, directory, config } = project;
  const { model = 'the default model', instructions = true } = config;
  const files = directory === undefined ? [] : await instructionFiles(loom, directory);
  const found = files.length === 0 ? 'no AGENTS.md or CLAUDE.md found' : files.join(', ');
  terminal.out(
    [
      `${showControls(name)}  ${showControls(id)}`,
      `folder        ${showControls(directory ?? 'none on this machine')}`,
      `model         ${showControls(model)}`,
      `instructions  ${instructions ? 'on' : 'off'}: ${found}`,
      '',
    ].join('\n'),
  );
}

/** Returns the files that models would be shown; none where the folder is gone. */
async function instructionFiles(loom: Loom, directory: string): Promise<string[]> {
  const found = await loom.call('instructions.get', { directory });
  if (!found.ok) return [];
  return found.value.files.map(({ path, bytes }) => `${showControls(path)} (${count(bytes, 'byte')})`);
}
