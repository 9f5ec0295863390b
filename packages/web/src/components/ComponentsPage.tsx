import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { BlockHostContext } from '../blocks/block-host.ts';
import { BlockView } from '../blocks/BlockView.tsx';
import { ToolCardView } from '../blocks/tools/ToolCardView.tsx';
import { blockSamples } from './block-samples.ts';
import { Controls } from './Controls.tsx';
import { madeUpHost } from './made-up-host.ts';
import { sources } from './samples.ts';
import { States } from './States.tsx';
import { toolSamples } from './tool-samples.ts';

/** Every component in every state, made up: to look at, and to test. */
export function ComponentsPage(): ReactElement {
  const [{ host, tools, blocks }] = useState(make);
  return (
    <BlockHostContext value={host}>
      <main id="main" className="main scroll" tabIndex={0}>
        <div className="specimens">
          <h1>Components</h1>
          <Section title="Who and controls">
            <Controls />
          </Section>
          <Section title="Messages">
            <Specimen caption="A person">
              <div className="said said-only">
                <BlockView
                  node="components"
                  block={{
                    type: 'text',
                    text: 'Tests in `harmonics.test.ts` fail only on CI, and only since Sunday. Find out why before you change anything.',
                  }}
                />
              </div>
            </Specimen>
          </Section>
          <Section title="States">
            <States />
          </Section>
          <Section title="Tool cards">
            {tools.map(({ caption, call, result, isLive, isLeftOut = false }) => (
              <Specimen key={caption} caption={caption}>
                <ToolCardView call={call} result={result} isLive={isLive} isLeftOut={isLeftOut} />
              </Specimen>
            ))}
          </Section>
          <Section title="Blocks">
            {blocks.map(({ caption, block }) => (
              <Specimen key={caption} caption={caption}>
                <BlockView node="components" block={block} sources={sources} />
              </Specimen>
            ))}
          </Section>
        </div>
      </main>
    </BlockHostContext>
  );
}

function make() {
  const host = madeUpHost();
  const [tools, blocks] = [toolSamples(), blockSamples()];
  for (const { call, isOpen } of tools) if (isOpen === true) host.folds.set(call.block_id ?? '', true);
  for (const { block, isOpen } of blocks) if (isOpen === true) host.folds.set(block.block_id ?? '', true);
  return { host, tools, blocks };
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <section>
      <h2>{title}</h2>
      <div className="specimen-grid">{children}</div>
    </section>
  );
}

function Specimen({ caption, children }: { caption: string; children: ReactNode }): ReactElement {
  return (
    <figure data-specimen={caption}>
      <figcaption>{caption}</figcaption>
      {children}
    </figure>
  );
}
