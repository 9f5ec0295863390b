import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useConversation } from '../app/loom-context.ts';

/** The place of a message that has not come yet; it is asked for when it comes near the screen. */
export function LoadingRow({ node }: { node: string }): ReactElement {
  const conversation = useConversation();
  useEffect(() => conversation.want(node), [conversation, node]);
  return <div className="row row-loading" aria-hidden="true" />;
}
