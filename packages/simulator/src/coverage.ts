/** The actions whose meetings in one turn matter. */
export const meetingActions = [
  'abort',
  'steer',
  'queue',
  'approve',
  'deny',
  'lease-loss',
  'conflict',
  'crash',
] as const;

export type MeetingAction = (typeof meetingActions)[number];

/** The actions that have hit the same turn, with their order and their counts. */
export class Coverage {
  readonly #counts = new Map<string, number>();
  readonly #hits = new Map<string, MeetingAction[]>();

  /** Notes that an action hits a turn; the caller makes sure that the turn is live. */
  hit(turn: string, action: MeetingAction): void {
    const earlier = this.#hits.get(turn) ?? [];
    for (const first of new Set(earlier)) this.#add(pairOf(first, action), 1);
    this.#hits.set(turn, [...earlier, action]);
  }

  /** Returns the number of different actions that have hit a turn. */
  hitsOf(turn: string): number {
    return new Set(this.#hits.get(turn)).size;
  }

  /** Adds the coverage of another run. */
  merge(other: Coverage): void {
    for (const [pair, count] of other.#counts) this.#add(pair, count);
  }

  count(first: MeetingAction, second: MeetingAction): number {
    return this.#counts.get(pairOf(first, second)) ?? 0;
  }

  /** The pairs of different actions that never met, in that order. */
  missing(): string[] {
    return meetingActions.flatMap((first) =>
      meetingActions
        .filter((second) => first !== second && this.count(first, second) === 0)
        .map((second) => pairOf(first, second)),
    );
  }

  /** Renders a table: rows first, columns second. */
  render(): string {
    const width = Math.max(...meetingActions.map(({ length }) => length));
    const row = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(width)).join(' ');
    const lines = meetingActions.map((first) =>
      row([first, ...meetingActions.map((second) => String(this.count(first, second)))]),
    );
    return [row(['first \\ then', ...meetingActions].map((cell) => cell.slice(0, width))), ...lines].join('\n');
  }

  #add(pair: string, count: number): void {
    this.#counts.set(pair, (this.#counts.get(pair) ?? 0) + count);
  }
}

function pairOf(first: MeetingAction, second: MeetingAction): string {
  return `${first} then ${second}`;
}
