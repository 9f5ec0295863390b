import type { OpenedPage } from './open-page.ts';

/** A conversation in which a person has said some things, one below the other. */
export async function begin(
  ask: OpenedPage['ask'],
  ...texts: readonly string[]
): Promise<{ root: string; nodes: readonly string[] }> {
  const { root } = await ask('root.create', {});
  const messages = texts.map((content) => ({ role: 'user' as const, content }));
  const { nodes } = await ask('node.append', { parent: root, messages });
  return { root, nodes };
}
