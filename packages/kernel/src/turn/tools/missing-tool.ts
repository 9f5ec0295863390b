import type { RootState, TurnState } from '../../state/root-state.ts';
import type { Tool } from '../../tool.ts';
import { offerScopeOf, whyNotOffer } from '../offering/tool-offers.ts';
import type { WhyNotOffered } from '../offering/tool-offers.ts';

/** Tells a model why a tool that it called is not one of its turn, and which tools are. */
export function describeMissing(
  name: string,
  tool: Tool | undefined,
  state: RootState,
  { tools, provider, model }: TurnState,
): string {
  const those = tools.length === 0 ? 'This turn has no tools.' : `The tools of this turn are: ${tools.join(', ')}.`;
  if (tool === undefined) return `There is no tool named ${name}. ${those}`;
  const why = whyNotOffer(tool, [tool], { ...offerScopeOf(state), provider, model });
  return `The tool ${name} is not offered here${why === undefined ? '' : `: ${words[why]}`}. ${those}`;
}

const words: Readonly<Record<WhyNotOffered, string>> = {
  'no-folder': 'it works in a folder, and the conversation has none',
  'other-mode': 'it belongs to another mode of the conversation',
  'other-provider': 'it was made for another provider',
  'other-model': 'it is for other models, which have no better tool for this',
  'switched-off': 'the person has switched it off in this conversation',
  'on-request': 'a person has to choose it for the conversation',
  off: 'the person has switched it off in all conversations',
  changed: 'its server describes it in another way than before, and the person has yet to look at that',
};
