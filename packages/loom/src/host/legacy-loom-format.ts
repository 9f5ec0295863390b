import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ForeignItem } from '@loom/exchange/foreign';
import type { ForeignFormat } from '@loom/exchange/importing';
import { readDirectory, withoutRecord } from '@loom/node-files';

type LegacyRoot = Awaited<ReturnType<typeof readDirectory>>['roots'][number];

/** Data folders of older Looms. They open as they are; this imports one into another folder. The folder that is written to does not count. */
export function legacyLoomFormat(dataDir: string): ForeignFormat {
  return {
    source: 'loom-folder',
    name: 'Loom',
    form: 'document',
    recognizes: (path, beginning) => basename(path) === 'roots.json' && /^\s*[[{]/u.test(beginning),
    async *read({ file, tally }) {
      const folder = dirname(file.path);
      // `loom import ~` comes by here: each conversation would be there twice, and four times after the next import.
      if ((await realpath(folder)) === (await realpath(dataDir))) {
        tally.remark('This is the data folder in use: it is left alone.');
        return;
      }
      const { roots, problems } = await readDirectory(folder);
      for (const root of roots) {
        yield [...itemsOf(root)];
        for (const _node of root.nodes) tally.used();
      }
      for (const { file: where, message } of problems) tally.reported(`${where}: ${message}`);
    },
  };
}

function* itemsOf({ id, createdAt, config, nodes }: LegacyRoot): Generator<ForeignItem> {
  // Older Looms counted their roots, so that an id alone is not unique.
  const conversation = createdAt === undefined ? id : `${id} of ${createdAt}`;
  const { systemPrompt } = config;
  yield {
    type: 'conversation',
    conversation: {
      id: conversation,
      ...(createdAt === undefined ? {} : { created_at: createdAt }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      config,
    },
  };
  // The messages below a deleted one are hidden, too.
  const hidden = new Set<string>();
  for (const { id: node, parent, message, source, timestamp, title, tags, continues, customData, deleted } of nodes) {
    if (deleted || hidden.has(parent)) {
      hidden.add(node);
      continue;
    }
    yield {
      type: 'node',
      node: {
        conversation,
        id: node,
        ...(parent === id ? {} : { parent }),
        role: message.role,
        blocks: message.content.map((block, index) => ({ key: `${node}#${index}`, block: withoutRecord(block) })),
        source,
        ...(message.role === 'tool' ? { tool_call_id: message.tool_call_id } : {}),
        ...(message.role === 'tool' && message.is_error === true ? { is_error: true } : {}),
        ...(timestamp === undefined ? {} : { time: timestamp }),
        ...(title === undefined ? {} : { title }),
        tags,
        ...(continues ? { continues } : {}),
        details: customData,
      },
    };
  }
}
