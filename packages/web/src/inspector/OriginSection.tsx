import type { ReactElement } from 'react';
import { useConversation } from '../app/loom-context.ts';
import { originOf } from '../conversation/origin.ts';
import { useStore } from '../stores/use-store.ts';
import { FactList } from './FactList.tsx';
import type { Fact } from './FactList.tsx';

/** The origin of the conversation: nothing for one that began here. */
export function OriginSection(): ReactElement | null {
  const { root } = useStore(useConversation().watch.whole);
  const origin = originOf(root.config);
  if (origin === undefined) return null;
  const { program, id, folder, files } = origin;
  const facts: Fact[] = [
    {
      name: 'Imported from',
      value: (
        <>
          <span className="mark mark-file imported-mark" aria-hidden="true" />
          {program}
        </>
      ),
    },
    ...(folder === undefined ? [] : [{ name: 'Folder', value: folder }]),
    ...files.slice(0, 3).map((file, index) => ({ name: index === 0 ? 'File' : `File ${index + 1}`, value: file })),
    ...(id === undefined ? [] : [{ name: 'Called there', value: id }]),
  ];
  return (
    <section className="inspector-section">
      <h2>Conversation</h2>
      <FactList facts={facts} />
    </section>
  );
}
