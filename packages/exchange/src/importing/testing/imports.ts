import { isPlainObject } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import type { RootState } from '@loom/kernel';
import { instantClock } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import type { MemoryStore } from '@loom/stores/memory';
import { Importer } from '../importer.ts';
import { Origins } from '../origins.ts';

/** A forest to import into. */
export interface ImportWorld {
  forest: Forest;
  store: MemoryStore;
  newId: () => string;
  /** Creates an importer, as a new process would. */
  importer: (source?: string) => Promise<Importer>;
  /** The states of all roots, in the order of their creation. */
  states: () => Promise<RootState[]>;
}

export function createImportWorld(): ImportWorld {
  const store = createMemoryStore();
  let last = 0;
  const newId = (): string => String((last += 1)).padStart(8, '0');
  const forest = new Forest({ store, clock: instantClock(), ids: { next: newId } });
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  return {
    forest,
    store,
    newId,
    importer: async (source = 'elsewhere') =>
      new Importer({ forest, blobs, newId, source, origins: await new Origins().refresh(forest) }),
    states: async () => Promise.all((await forest.roots()).map((root) => forest.log(root).state())),
  };
}

/** Returns the content of a tree, regardless of its ids: for comparing the results of two ways of importing. */
export function contentOf(state: RootState): unknown {
  const branch = (parent: string): unknown[] =>
    (state.children.get(parent) ?? []).flatMap((id) => {
      const node = state.nodes.get(id);
      if (node === undefined || node.deleted === true) return [];
      const { role, source, tool_call_id, is_error, tool, origin, time, context_start, title, custom_data } = node;
      const blocks = node.blocks.map(
        ({ block_id: _id, version: _version, status, agent: _agent, created_at: _created, ...block }) => ({
          ...block,
          status,
        }),
      );
      const facts = { role, source, tool_call_id, is_error, tool, origin, time, context_start, title, custom_data };
      return [{ ...facts, blocks, children: branch(id) }];
    });
  const facts = state.config['imported'];
  const { files: _files, ...imported } = isPlainObject(facts) ? facts : {};
  return { title: state.title, config: { ...state.config, imported }, children: branch(state.id) };
}

/** Returns only the messages of a tree. */
export function messagesOf(state: RootState): unknown {
  const content = contentOf(state);
  return isPlainObject(content) ? content['children'] : undefined;
}
