import { z } from 'zod';
import { encodeUtf8, spliceText } from '@loom/blocks';
import { planPatch } from '@loom/blocks/patch';
import { refuseUnseen } from '../call-changing-tool.ts';
import { ToolMistake } from '../file-call.ts';
import type { ChangingCode, FileScope, PlannedFile } from '../file-call.ts';
import { findFile, findText } from '../found-file.ts';
import { refusePlaceholders } from '../placeholders.ts';
import { applyChunks } from './chunks.ts';
import { readDiff } from './diff-sections.ts';
import { readEnvelope } from './envelope.ts';

const params = z.strictObject({ patch: z.string().min(1) });

/** Returns the text of a file after its part of the patch. */
type ChangeText = (text: string, path: string) => string;

/** One file of a patch, in either format. */
type PatchSection =
  | { kind: 'add'; path: string; content: string; mode?: number }
  | { kind: 'delete'; path: string; removes?: ChangeText }
  | { kind: 'update'; path: string; moveTo?: string; mode?: number; change: ChangeText };

/** The code of the tool `apply_patch`. */
export const patchFilesCode: ChangingCode<z.infer<typeof params>> = {
  params,
  async plan({ patch }, scope) {
    const sections = /^\s*\*\*\* Begin Patch/mu.test(patch) ? envelopeSections(patch) : diffSections(patch);
    const planned: PlannedFile[] = [];
    for (const section of sections) planned.push(await planSection(section, scope));
    return planned;
  },
};

async function planSection(section: PatchSection, scope: FileScope): Promise<PlannedFile> {
  if (section.kind === 'add') {
    const { path, file } = await findFile(scope.folder, section.path);
    if (file !== undefined) throw new ToolMistake(`${path} exists already, so it cannot be added. Update it instead.`);
    refusePlaceholders(section.content, '', path);
    const { mode } = section;
    return { path, kind: 'add', after: encodeUtf8(section.content), ...(mode === undefined ? {} : { mode }) };
  }
  if (section.kind === 'delete') {
    const { path, file } = await findFile(scope.folder, section.path);
    if (file === undefined) throw new ToolMistake(`${path} does not exist, so it cannot be deleted.`);
    await refuseUnseen(scope, file);
    section.removes?.(new TextDecoder().decode(file.bytes), path);
    return { path, kind: 'delete', before: file };
  }
  const { file, text } = await findText(scope.folder, section.path);
  await refuseUnseen(scope, file);
  const updated = section.change(text, file.path);
  refusePlaceholders(updated, text, file.path);
  const mode = section.mode === undefined ? {} : { mode: section.mode };
  const after = encodeUtf8(updated);
  const moved = section.moveTo === undefined ? undefined : await findFile(scope.folder, section.moveTo);
  if (moved === undefined || moved.path === file.path) {
    if (updated === text && section.mode === undefined)
      throw new ToolMistake(`The patch changes nothing in ${file.path}.`);
    return { path: file.path, kind: 'modify', before: file, after, ...mode };
  }
  if (moved.file !== undefined) {
    throw new ToolMistake(`${moved.path} exists already, so ${file.path} cannot be moved there.`);
  }
  return { path: moved.path, kind: 'rename', from: file.path, before: file, after, ...mode };
}

function envelopeSections(patch: string): PatchSection[] {
  return readEnvelope(patch).map((section): PatchSection => {
    if (section.kind !== 'update') return section;
    const { chunks, ...rest } = section;
    return { ...rest, change: (text, path) => applyChunks(path, text, chunks) };
  });
}

function diffSections(patch: string): PatchSection[] {
  return readDiff(patch).map(({ from, to, text: diff, mode }): PatchSection => {
    const change: ChangeText = (text, path) => {
      if (diff === '') return text;
      const plan = planPatch(text, diff);
      if (plan.ok) return spliceText(text, plan.splices);
      throw new ToolMistake(`The patch does not fit ${path}: ${plan.errors.join('; ')}. Nothing was changed.`);
    };
    const bits = mode === undefined ? {} : { mode };
    if (from === undefined && to !== undefined) return { kind: 'add', path: to, content: change('', to), ...bits };
    if (from !== undefined && to === undefined) return { kind: 'delete', path: from, removes: change };
    if (from === undefined || to === undefined) throw new ToolMistake('The patch names no file.');
    return { kind: 'update', path: from, ...(from === to ? {} : { moveTo: to }), ...bits, change };
  });
}
