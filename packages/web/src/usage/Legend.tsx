import type { ReactElement } from 'react';

interface LegendProps {
  title: string;
  entries: readonly { readonly name: string; readonly series: string }[];
}

/** The heading of a plot, with the meaning of its colors. */
export function Legend({ title, entries }: LegendProps): ReactElement {
  return (
    <div className="plot-head">
      <h2 className="grow">{title}</h2>
      <ul className="legend">
        {entries.map(({ name, series }) => (
          <li key={series}>
            <i className={series} />
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}
