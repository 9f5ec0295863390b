/** The values of a metric by the labels that tell them apart, as the text form of Prometheus writes them. */
type Series = Map<string, number>;

export interface Labels {
  readonly [name: string]: string;
}

/** One thing that is measured. */
interface Metric {
  write(): string;
}

/** The metrics of a server, in the text form of Prometheus. */
export class Metrics {
  readonly #metrics: Metric[] = [];

  /** Counts up. */
  counter(name: string, help: string): (labels?: Labels, by?: number) => void {
    const series: Series = new Map();
    this.#metrics.push({ write: () => describe(name, help, 'counter') + writeSeries(name, series) });
    return (labels = {}, by = 1) => {
      const key = writeLabels(labels);
      series.set(key, (series.get(key) ?? 0) + by);
    };
  }

  /** Adds a gauge, read when it is asked for. */
  gauge(name: string, help: string, read: () => number | readonly (readonly [Labels, number])[]): void {
    const write = (): string => {
      const value = read();
      const all = typeof value === 'number' ? [[{}, value] as const] : value;
      return (
        describe(name, help, 'gauge') +
        writeSeries(name, new Map(all.map(([labels, one]) => [writeLabels(labels), one])))
      );
    };
    this.#metrics.push({ write });
  }

  /** Counts how many values are at most so large, for each of some bounds. */
  histogram(name: string, help: string, bounds: readonly number[]): (labels: Labels, value: number) => void {
    const all = new Map<string, { labels: Labels; counts: number[]; count: number; sum: number }>();
    this.#metrics.push({
      write: () =>
        describe(name, help, 'histogram') + [...all.values()].map((one) => writeHistogram(name, bounds, one)).join(''),
    });
    return (labels, value) => {
      const key = writeLabels(labels);
      const known = all.get(key) ?? { labels, counts: bounds.map(() => 0), count: 0, sum: 0 };
      all.set(key, known);
      known.count += 1;
      known.sum += value;
      const at = bounds.findIndex((bound) => value <= bound);
      if (at !== -1) known.counts[at] = (known.counts[at] ?? 0) + 1;
    };
  }

  write(): string {
    return this.#metrics.map((metric) => metric.write()).join('');
  }
}

function writeHistogram(
  name: string,
  bounds: readonly number[],
  { labels, counts, count, sum }: { labels: Labels; counts: readonly number[]; count: number; sum: number },
): string {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket${writeLabels({ ...labels, le: String(bound) })} ${below}\n`;
  });
  const own = writeLabels(labels);
  const whole = `${name}_bucket${writeLabels({ ...labels, le: '+Inf' })} ${count}\n`;
  return `${buckets.join('')}${whole}${name}_sum${own} ${sum}\n${name}_count${own} ${count}\n`;
}

function describe(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function writeSeries(name: string, series: Series): string {
  return Array.from(series, ([labels, value]) => `${name}${labels} ${value}\n`).join('');
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
