import type { PlainObject } from '@loom/blocks';
import type { ApprovalMode } from '@loom/kernel';
import type { ChosenModel } from '../models/demo-model.ts';
import type { Answerer } from './answerer.ts';

/** The place a conversation goes on from, and its models. */
export interface ConversationStart {
  model: ChosenModel;
  settings: PlainObject;
  /** The other models that answer, and the number of answers each gives; by default none and one. */
  others?: readonly ChosenModel[];
  answers?: number;
  /** The reaction when context runs full; by default the person sees a note. */
  compaction: Answerer['compaction'];
  /** Finds a title for the conversation; by default none is looked for. */
  titleModel?: Answerer['titleModel'];
  /** Sums the conversation up; by default the model that answers does. */
  summaryModel?: Answerer['summaryModel'];
  /** The system prompt of a new conversation. */
  systemPrompt?: string | undefined;
  /** The folder and the mode that its tools work in; of one that goes on they are changed. */
  place?: FolderChoice;
  /** The place of one that goes on: its root, and the node to go on from or the root itself. */
  at?: { root: string; place: string };
}

/** The folder that tools work in, how freely, and which of them there are. */
export interface FolderChoice {
  directory?: string;
  approval_mode?: ApprovalMode;
  tools?: string[] | null;
  /** The tools that run at the provider of the model. */
  provider_tools?: ProviderTool[] | null;
  /** False: models do not read the AGENTS.md or CLAUDE.md of the folder. */
  instructions?: false | null;
}

/** A tool that runs at the provider, as the config of a conversation names it. */
export type ProviderTool = 'web_search' | 'code_execution';
