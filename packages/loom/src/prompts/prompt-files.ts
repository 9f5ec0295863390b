import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { cleanText } from '@loom/blocks';
import { longestPrompt, promptContent, promptName } from '@loom/kernel';
import type { PromptFile, PromptPort, SkippedFile } from '@loom/kernel';
import { readPromptText } from './front-matter.ts';

interface CommandFolder {
  source: PromptFile['source'];
  /** A folder that is taken as it is. */
  top: string;
  /** The way from there to the prompts; no part of it may be a link. */
  path: readonly string[];
  /** The number of folders inside that are looked into. */
  depth: number;
}

const mostFiles = 500;
const mostDepth = 4;
/** A character has at most three bytes in half of its UTF-16 form, and the fields take some room. */
const mostBytes = 3 * longestPrompt + 4096;

/**
 * Reads the prompts of Claude Code and Codex in the home folder, and those of Claude Code in a folder. Only Markdown files inside of these folders
 * are read, and no links: a foreign repository must not choose what is read from this machine.
 */
export function promptFiles(home: string): PromptPort {
  return {
    async files(directory) {
      const folders: CommandFolder[] = [
        ...(directory === undefined || directory === home ? [] : [claudeFolder('folder', directory)]),
        ...(home === '' ? [] : [claudeFolder('claude', home), codexFolder(home)]),
      ];
      const found: { prompts: PromptFile[]; skipped: SkippedFile[] } = { prompts: [], skipped: [] };
      for (const folder of folders) {
        const { prompts, skipped } = await readFolder(folder);
        found.prompts.push(...prompts);
        found.skipped.push(...skipped);
      }
      return found;
    },
  };
}

function claudeFolder(source: 'folder' | 'claude', top: string): CommandFolder {
  return { source, top, path: ['.claude', 'commands'], depth: mostDepth };
}

/** Codex looks into no folders inside of its own. */
function codexFolder(top: string): CommandFolder {
  return { source: 'codex', top, path: ['.codex', 'prompts'], depth: 0 };
}

async function readFolder({ source, top, path, depth }: CommandFolder) {
  const prompts: PromptFile[] = [];
  const skipped: SkippedFile[] = [];
  let folder = top;
  for (const part of path) {
    folder = join(folder, part);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats === undefined) return { prompts, skipped };
    if (stats.isSymbolicLink()) skipped.push({ path: folder, reason: 'link' });
    if (!stats.isDirectory()) return { prompts, skipped };
  }
  const files: string[] = [];
  await listFiles(folder, depth, { files, skipped });
  for (const file of files.slice(0, mostFiles)) {
    const prompt = await readPrompt(file, nameOf(folder, file));
    if ('reason' in prompt) skipped.push({ path: file, reason: prompt.reason });
    else prompts.push({ ...prompt, source, path: file });
  }
  for (const file of files.slice(mostFiles)) skipped.push({ path: file, reason: 'too-many' });
  return { prompts, skipped };
}

async function listFiles(
  folder: string,
  depth: number,
  into: { files: string[]; skipped: SkippedFile[] },
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    into.skipped.push({ path: folder, reason: 'unreadable' });
    return;
  }
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const isPrompt = entry.name.endsWith('.md');
    if (entry.isSymbolicLink()) {
      into.skipped.push({ path, reason: 'link' });
    } else if (entry.isDirectory() && depth > 0) {
      await listFiles(path, depth - 1, into);
    } else if (entry.isFile() && isPrompt) {
      into.files.push(path);
    }
    // One more than are read, so that it can be said that there are more.
    if (into.files.length > mostFiles) return;
  }
}

/** `frontend/component.md` is the prompt `frontend:component`. */
function nameOf(folder: string, file: string): string {
  return file
    .slice(folder.length + 1, -'.md'.length)
    .split(sep)
    .join(':');
}

async function readPrompt(
  path: string,
  name: string,
): Promise<Omit<PromptFile, 'source' | 'path'> | Pick<SkippedFile, 'reason'>> {
  if (!promptName.safeParse(name).success) return { reason: 'bad-name' };
  const bytes = await readBytes(path).catch(() => undefined);
  if (bytes === undefined) return { reason: 'unreadable' };
  if (bytes.length > mostBytes) return { reason: 'too-large' };
  const file = decode(bytes);
  if (file === undefined || file.includes('\0')) return { reason: 'not-text' };
  const { fields, text } = readPromptText(file);
  if (text === '') return { reason: 'empty' };
  if (text.length > longestPrompt) return { reason: 'too-large' };
  const field = (key: string, as: string): object => {
    const value = cleanText(fields.get(key) ?? '').slice(0, 500);
    return value === '' ? {} : { [as]: value };
  };
  const content = promptContent().parse({
    text: cleanText(text),
    ...field('description', 'description'),
    ...field('argument-hint', 'argument_hint'),
    ...field('model', 'model'),
  });
  const tools = fields.get('allowed-tools') ?? '';
  return { name, ...content, ...(tools === '' ? {} : { allowed_tools: cleanText(tools).slice(0, 2000) }) };
}

/** Reads a file that may have become a link or a pipe meanwhile, at most one byte more than it may have. */
async function readBytes(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, mostBytes + 1));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
