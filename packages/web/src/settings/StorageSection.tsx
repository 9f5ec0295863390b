import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { z } from 'zod';
import { useLoom } from '../app/loom-context.ts';
import { bytes } from '../words/amounts.ts';

const sizes = z.object({
  total: z.number(),
  parts: z.array(z.object({ part: z.string(), bytes: z.number() })),
});

/** The disk usage of the data folder. */
export function StorageSection(): ReactElement {
  const loom = useLoom();
  const [known, setKnown] = useState<z.infer<typeof sizes>>();
  useEffect(() => loom.attempt(async () => setKnown(sizes.parse(await loom.ask('data.sizes', {})))), [loom]);
  return (
    <>
      <h2>Storage</h2>
      <p className="settings-note">
        {known === undefined ? 'Measuring the data folder…' : `The data folder takes ${bytes(known.total)}.`}
      </p>
      {known !== undefined && (
        <table className="model-table storage-table">
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">Size</th>
            </tr>
          </thead>
          <tbody>
            {known.parts
              .filter((part) => part.bytes > 0)
              .map((part) => (
                <tr key={part.part}>
                  <td>{part.part}</td>
                  <td>{bytes(part.bytes)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      )}
    </>
  );
}
