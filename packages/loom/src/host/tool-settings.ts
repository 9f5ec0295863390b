import { join } from 'node:path';
import { z } from 'zod';
import { plainObject } from '@loom/blocks';
import { nodeDisk, readIfThere, replaceFile } from '@loom/data-folder/files';
import type { SeenTool, SeenTools, ServerSettings, ToolSettingsPort } from '@loom/tools';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValue } from '../config/write.ts';
import type { ConfigTarget } from '../config/write.ts';

/** The file in the data folder that keeps which descriptions of tools were accepted. */
const seenFile = 'mcp-tools.json';

const mostAttempts = 5;

const seenTool = z.object({
  description: z.string(),
  parameters: plainObject,
  isReading: z.boolean(),
  isDestructive: z.boolean(),
  at: z.string(),
});
const content = z.record(z.string(), z.record(z.string(), seenTool));

type Server = Config['mcp_servers'][number];

/** The settings about tools of a data folder. */
export interface ToolSettingsSource extends ConfigTarget {
  /** Reads the configuration as it is now. */
  read: () => Promise<Config>;
}

/** Keeps what is switched off as `tools.off` in config.toml, and the accepted descriptions in a file beside it. */
export function configToolSettings({ read, ...target }: ToolSettingsSource): ToolSettingsPort {
  const { dataDir, disk = nodeDisk } = target;
  const path = join(dataDir, seenFile);
  const off = async (): Promise<readonly string[]> => (await read()).tools?.off ?? [];
  const readSeen = async (): Promise<SeenTools> => (await readFile()).seen;
  const readFile = async (): Promise<{ bytes: Uint8Array | undefined; seen: SeenTools }> => {
    const bytes = await readIfThere(disk, path);
    if (bytes === undefined) return { bytes, seen: {} };
    const read = content.safeParse(parsed(new TextDecoder().decode(bytes)));
    if (read.success) return { bytes, seen: read.data };
    throw new ConfigError('cannot-read', `${path} cannot be read`, {
      advice: 'It holds the descriptions of tools that you have accepted. Remove it to accept the present ones.',
      details: { file: path },
    });
  };
  return {
    read: async () => ({ servers: (await read()).mcp_servers.map(serverOf), off: await off() }),
    async switchTools(names, isOn) {
      const others = (await off()).filter((name) => !names.includes(name));
      const wanted = isOn ? others : [...others, ...names].sort();
      const written = await setConfigValue(target, ['tools', 'off'], wanted);
      if (!written.ok) throw notWritten(written.refusal.reason);
    },
    readSeen,
    async writeSeen(server: string, tools: Readonly<Record<string, SeenTool>>) {
      // Another process may keep what it has seen at the same time.
      for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
        const { bytes: expected, seen } = await readFile();
        const text = `${JSON.stringify({ ...seen, [server]: tools }, undefined, 2)}\n`;
        const file = { path, content: new TextEncoder().encode(text), expected, mode: 0o600 };
        if ((await replaceFile(disk, file)).ok) return;
      }
      throw notWritten(`other processes keep changing ${seenFile}`);
    },
  };
}

/** An empty text is a setting that was not filled in. */
function serverOf({ name, command, args = [], env = {}, url, headers = {} }: Server): ServerSettings {
  if (url !== undefined && url !== '') return { name, url, environment: {}, headers };
  if (command === undefined || command === '') return { name, environment: {}, headers: {} };
  return { name, command: [command, ...args], environment: env, headers: {} };
}

function notWritten(reason: string): ConfigError {
  return new ConfigError('cannot-write', `the settings about tools cannot be written: ${reason}`, {
    advice: 'Correct config.toml in an editor, or try again; nothing was changed.',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
