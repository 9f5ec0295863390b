import { readRootSettings } from '../../root-settings.ts';
import type { RootState } from '../../state/root-state.ts';
import { liveDrafts } from '../../state/tree/tree.ts';
import type { ApprovalMode, RootConfig } from '../../op.ts';
import type { Tool } from '../../tool.ts';

/** The reasons that a tool is not offered to a model. */
export const whyNotOffered = [
  'no-folder',
  'other-mode',
  'other-provider',
  'other-model',
  'switched-off',
  'on-request',
  'off',
  'changed',
] as const;
export type WhyNotOffered = (typeof whyNotOffered)[number];

/** The facts that decide which tools a model is offered. */
export interface OfferScope {
  provider?: string | undefined;
  model?: string | undefined;
  directory?: string | undefined;
  approvalMode?: ApprovalMode | undefined;
  /** The names that an owner chose for the conversation. */
  chosen?: readonly string[] | undefined;
  /** True if the conversation holds texts beside its messages, which models edit with some tools of the forest. */
  hasDrafts?: boolean;
}

/** Returns the facts about a conversation. */
export function offerScopeOf(state: RootState): OfferScope {
  return { ...configScope(state.config), hasDrafts: liveDrafts(state).length > 0 };
}

/** Returns the facts that the config of a conversation says. */
export function configScope(config: RootConfig): OfferScope {
  const { directory, approvalMode, tools: chosen } = readRootSettings(config);
  return { directory, approvalMode, chosen };
}

/**
 * Returns the reason that a tool is not offered by default, if there is one. An owner's choice of tools takes the place of the defaults, but
 * lends no tool that could not work: without its folder, in another mode, or with a provider that only pretends.
 */
export function whyNotOffer(tool: Tool, tools: readonly Tool[], scope: OfferScope): WhyNotOffered | undefined {
  const { provider, model, directory = '', approvalMode = 'ask', chosen, hasDrafts = false } = scope;
  if (provider !== undefined && isForOthers(tool, tools, provider)) return 'other-provider';
  if (tool.withheld !== undefined) return tool.withheld;
  if (tool.needsFolder === true && directory === '') return 'no-folder';
  // Without it a conversation could not leave its mode: no choice of tools takes it away.
  if (tool.modes !== undefined) return tool.modes.includes(approvalMode) ? undefined : 'other-mode';
  if (chosen !== undefined) return chosen.includes(tool.name) ? undefined : 'switched-off';
  if (tool.group === 'forest' && !(hasDrafts && tool.forDrafts === true)) return 'on-request';
  if (tool.family !== undefined && tool.family !== familyOf(model)) return 'other-model';
  return undefined;
}

/** Tools that pretend are for their own provider, and that one is offered no others. */
function isForOthers({ madeFor }: Tool, tools: readonly Tool[], provider: string): boolean {
  if (madeFor !== undefined) return madeFor !== provider;
  return tools.some((tool) => tool.madeFor === provider);
}

/** GPT models were trained on patches in an envelope, all others on replacing exact text. */
function familyOf(model = ''): Tool['family'] {
  return /(?:^|\/)(?:gpt|chatgpt|codex|o\d)/iu.test(model) ? 'gpt' : 'other';
}
