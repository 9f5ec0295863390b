import type { PlainObject } from '@loom/blocks';
import { listAt, objectAt, textAt } from '../foreign/fields.ts';

/**
 * Returns true if Codex wrote a message in the user's place: instructions, the environment, notices. Current versions mark such messages; those of
 * older versions are recognized by their beginning.
 */
export function isWrittenByCodex(item: PlainObject, words: string): boolean {
  if (textAt(item, 'role') !== 'user') return true;
  const kinds = listAt(objectAt(item, 'internal_chat_message_metadata_passthrough'), 'content_item_kinds');
  if (kinds.some((kind) => typeof kind === 'string' && kind.startsWith('user.'))) return false;
  if (kinds.some((kind) => typeof kind === 'string' && kind.includes('.'))) return true;
  return beginnings.test(words);
}

const beginnings =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|subagent_notification|user_shell_command|skill|skills_instructions|permissions instructions|collaboration_mode|user_action|INSTRUCTIONS|apps_instructions|plugins_instructions|goal_context|hook_prompt|personality_spec|model_switch|token_budget|codex_internal_context)\b|# AGENTS\.md instructions\b)/i;
