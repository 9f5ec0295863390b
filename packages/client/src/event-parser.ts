/** Reads the data of server-sent events from pieces of a stream, wherever they are cut. */
export class EventParser {
  #rest = '';

  /** The data of the events that are complete with this piece. */
  push(piece: string): string[] {
    const events = `${this.#rest}${piece}`.split('\n\n');
    this.#rest = events.pop() ?? '';
    return events.flatMap((event) => {
      const data = event.split('\n').filter((line) => line.startsWith('data: '));
      return data.length === 0 ? [] : [data.map((line) => line.slice('data: '.length)).join('\n')];
    });
  }
}
