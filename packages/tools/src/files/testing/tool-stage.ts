import type { TestContext } from 'node:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PlainObject, ToolBlock } from '@loom/blocks';
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { contextWith, runTool } from '@loom/providers/testing';
import { decideFile } from '../../policy/file-permissions.ts';
import { fileTools } from '../file-tools.ts';

/** Returns the file tools, with the permissions of a host without rules. */
export function testedTools(): Tool[] {
  const clock = { now: () => 0, after: () => () => {} };
  return fileTools({ clock, decide: (request) => decideFile({ list: async () => [] }, request) });
}

/** A folder with files, and the file tools working in it. */
export class ToolStage {
  readonly directory: string;
  readonly tools: readonly Tool[];
  readonly context: ToolContext;
  #calls = 0;

  constructor(t: TestContext, files: Record<string, string> = {}, more: Partial<ToolContext> = {}) {
    this.directory = temporaryDirectory(t);
    this.tools = testedTools();
    this.context = {
      ...contextWith(new AbortController().signal),
      directory: this.directory,
      approvalMode: 'edit',
      ...more,
    };
    for (const [path, text] of Object.entries(files)) this.put(path, text);
  }

  put(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.directory, path)), { recursive: true });
    writeFileSync(join(this.directory, path), text);
  }

  text(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8');
  }

  /** Prepares and runs a call as a turn does, as if a person approved everything. */
  async call(name: string, parameters: PlainObject): Promise<CallResult> {
    const { prepared, run } = await this.prepare(name, parameters);
    if (prepared.permission === 'deny') {
      return { permission: 'deny', text: textOf(prepared.preview ?? []), isError: true, content: [], preview: [] };
    }
    return run();
  }

  /** Prepares a call; `run` runs it. */
  async prepare(
    name: string,
    parameters: PlainObject,
  ): Promise<{ prepared: PreparedCall; run: () => Promise<CallResult> }> {
    const tool = this.tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    this.#calls += 1;
    const invocation = { id: `call-${this.#calls}`, name, parameters, arguments: JSON.stringify(parameters) };
    const context = { ...this.context, node: `root-1/node-${this.#calls}` };
    const prepared = await tool.prepare(invocation, context);
    const run = async (): Promise<CallResult> => {
      const outcome = await runTool(tool, invocation, context);
      return { ...resultOf(outcome), permission: prepared.permission, preview: prepared.preview ?? [] };
    };
    return { prepared, run };
  }
}

export interface CallResult {
  permission: PreparedCall['permission'];
  preview: readonly ToolBlock[];
  text: string;
  isError: boolean;
  content: readonly ToolBlock[];
}

function resultOf({ content, is_error: isError = false }: ToolOutcome) {
  return { text: textOf(content), isError, content };
}

function textOf(blocks: readonly ToolBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
