import { basename, dirname, resolve } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { Message, PlainObject } from '@loom/blocks';
import { normalizeMessage, ToolArgumentParseError } from '@loom/blocks/legacy';
import { isCurrentNode, readCurrentMetadata } from './current-metadata.ts';
import { isTooDeep, readJsonFile, tooDeep } from './json-file.ts';
import type { ReadStamp } from './json-file.ts';
import type { RootModel } from './legacy-source.ts';
import { describeNewerFormat, formatOfNode, newerFormat } from '../newer-format.ts';
import { readMetadata } from './node-metadata.ts';
import type { NodeMetadata } from './node-metadata.ts';
import { describeProblem, NodeFileError } from '../problem.ts';
import type { NodeFileCode, NodeFileProblem } from '../problem.ts';

/** The place that a file claims for its node, in its own spelling of ids. */
export interface NodeLinks {
  file: string;
  /** `<folder>/<file name without .json>`, whatever id the file claims. */
  id: string;
  /** The folder, which is the root. */
  root: string;
  /** The id in the file. */
  declaredId?: string;
  parentId?: string;
  childIds: readonly string[];
}

/** One node file of any generation, read in isolation: its links are not yet compared with those of other files. */
export interface NodeFile extends NodeLinks, NodeMetadata {
  message: Message;
  /** The state of the file when it was read. */
  stamp: ReadStamp;
}

/** A node, or the problem of its file and the links that could be read all the same. */
export type NodeReading =
  | { ok: true; node: NodeFile; problems: NodeFileProblem[] }
  | { ok: false; problem: NodeFileProblem; links: NodeLinks };

/** Reads one node file. A bad one is a result; nothing is thrown, and nothing is changed. */
export async function loadNode(file: string): Promise<NodeReading> {
  const root = basename(dirname(dirname(resolve(file))));
  return readNode(file, root, { provider: '', model: '' });
}

/** Reads one node file, or throws a `NodeFileError` that names it and the remedy. */
export async function loadNodeOrThrow(file: string): Promise<NodeFile> {
  const reading = await loadNode(file);
  if (!reading.ok) throw new NodeFileError(reading.problem);
  return reading.node;
}

/** Reads a node file of a root whose config may name the model that wrote it. */
export function readNode(file: string, root: string, rootModel: RootModel): NodeReading {
  const name = basename(file).replace(/\.json$/u, '');
  const unlinked: NodeLinks = { file, id: `${root}/${name}`, root, childIds: [] };
  const fail = (problem: NodeFileProblem, links = unlinked): NodeReading => ({ ok: false, problem, links });

  const json = readJsonFile(file);
  if (!json.ok) return fail(json.problem);
  if (!isPlainObject(json.value)) {
    return fail(describeProblem('node-shape-invalid', file, 'is not a JSON object; put a backup in its place'));
  }
  const { links, faults } = readLinks(unlinked, json.value);
  const newer = describeNewer(file, json.value);
  if (newer !== undefined) return fail(newer, links);
  const message = readMessage(file, json.value['message']);
  if (!message.ok) return fail(message.problem, links);
  const { metadata, faults: others } = isCurrentNode(json.value)
    ? readCurrentMetadata(json.value, message.message.role)
    : readMetadata(json.value, message.message.role, rootModel);
  const problems = [
    ...json.problems,
    ...listFaults('links-invalid', file, faults),
    ...listFaults('metadata-invalid', file, others),
    ...(isNamed(links, name) ? [] : [describeName(links)]),
  ];
  return { ok: true, node: { ...links, ...metadata, message: message.message, stamp: json.stamp }, problems };
}

function readLinks(unlinked: NodeLinks, value: PlainObject): { links: NodeLinks; faults: string[] } {
  const { id, parent_id, child_ids } = value;
  const children: readonly unknown[] = Array.isArray(child_ids) ? child_ids : [];
  const childIds = children.filter((child) => typeof child === 'string');
  const faults: string[] = [];
  if (typeof id !== 'string') faults.push('id is not text');
  if (typeof parent_id !== 'string') faults.push('parent_id is not text');
  if (!Array.isArray(child_ids) || childIds.length < children.length) faults.push('child_ids is not a list of texts');
  return {
    links: {
      ...unlinked,
      ...(typeof id === 'string' ? { declaredId: id } : {}),
      ...(typeof parent_id === 'string' ? { parentId: parent_id } : {}),
      childIds,
    },
    faults,
  };
}

function readMessage(
  file: string,
  value: unknown,
): { ok: true; message: Message } | { ok: false; problem: NodeFileProblem } {
  try {
    const message = normalizeMessage(value);
    // Arguments are JSON in a text: only now their depth shows.
    if (!isTooDeep(message)) return { ok: true, message };
    return { ok: false, problem: describeProblem('node-too-deep', file, tooDeep) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof ToolArgumentParseError)) {
      const advice = `its message cannot be read (${reason}); mend the message in the file`;
      return { ok: false, problem: describeProblem('node-message-invalid', file, advice) };
    }
    const { toolCallId, toolName, rawArguments, parseError } = error;
    const details = { toolCallId, toolName, rawArguments, parseError };
    return { ok: false, problem: describeProblem('node-arguments-invalid', file, reason, details) };
  }
}

function describeNewer(file: string, value: PlainObject): NodeFileProblem | undefined {
  const format = newerFormat(formatOfNode(value));
  return format === undefined ? undefined : describeProblem('node-format-newer', file, describeNewerFormat(format));
}

/** Returns true if the id in the file is its own: bare, as the second generation wrote it, or with the root. */
function isNamed({ declaredId, id }: NodeLinks, name: string): boolean {
  return declaredId === undefined || declaredId === name || declaredId === id;
}

function describeName({ file, id, declaredId }: NodeLinks): NodeFileProblem {
  const message = `calls itself ${declaredId}; it is read as ${id}, by its folder and name`;
  return describeProblem('id-mismatch', file, message);
}

function listFaults(code: NodeFileCode, file: string, faults: readonly string[]): NodeFileProblem[] {
  if (faults.length === 0) return [];
  return [describeProblem(code, file, `${faults.join('; ')}; the message itself is whole`)];
}
