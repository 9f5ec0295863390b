import { useEffect } from 'react';
import { useConversation, useLoom } from '../../app/loom-context.ts';

/** Keeps the turns of the branch on display up to date. */
export function useBranchTurns(): void {
  const { ask } = useLoom();
  const conversation = useConversation();
  useEffect(() => {
    const { root, overview, turns, watch } = conversation;
    const look = (): void => {
      if (!conversation.isOutlined) return;
      const { path, shape } = overview.getSnapshot();
      const last = shape.nodes.get(path.at(-1) ?? '')?.turn;
      const isRunning = watch.whole.getSnapshot().root.turns.some(({ turn }) => turn === last);
      const list = async (params: object) => (await ask('tree.turns', { root, ...params, limit: 10_000 })).items;
      // The next change asks again.
      turns.look({ root, path, shape, isRunning }, list).catch(() => {});
    };
    look();
    const stops = [overview.subscribe(look), watch.whole.subscribe(look)];
    return () => stops.forEach((stop) => stop());
  }, [conversation, ask]);
}
