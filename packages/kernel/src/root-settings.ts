import { z } from 'zod';
import { origin } from './op.ts';
import type { ApprovalMode, Origin, RootConfig } from './op.ts';

/** What Loom itself reads in the config of a conversation, beside the prompt. */
export interface RootSettings {
  /** The folder that it works in. */
  directory?: string;
  /** The tools that its turns may use, unless they are told otherwise. */
  tools?: readonly string[];
  approvalMode?: ApprovalMode;
  /** Where it was before it came here, or the call that it is the conversation of. */
  origin?: Origin;
}

const text = z.string();
const texts = z.array(text);
const mode = z.enum(['plan', 'ask', 'edit', 'sandbox']);

/** Reads them. Callers may keep anything in a config, so what is not of the right kind belongs to them and is left alone. */
export function readRootSettings(config: RootConfig): RootSettings {
  const directory = text.safeParse(config['directory']).data;
  const tools = texts.safeParse(config['tools']).data;
  const approvalMode = mode.safeParse(config['approval_mode']).data;
  const from = origin.safeParse(config['origin']).data;
  return {
    ...(directory === undefined ? {} : { directory }),
    ...(tools === undefined ? {} : { tools }),
    ...(approvalMode === undefined ? {} : { approvalMode }),
    ...(from === undefined ? {} : { origin: from }),
  };
}

/** What tools and providers are told of the conversation that they work in. */
export function surroundingsOf(config: RootConfig): Pick<RootSettings, 'directory' | 'approvalMode'> {
  const { directory, approvalMode } = readRootSettings(config);
  return {
    ...(directory === undefined ? {} : { directory }),
    ...(approvalMode === undefined ? {} : { approvalMode }),
  };
}
