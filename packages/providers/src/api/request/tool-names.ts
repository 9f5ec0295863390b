/** The names of tools in the form that an API accepts, and Loom's tool for each. */
export class ToolNames {
  readonly #longest: number;
  readonly #toWire = new Map<string, string>();
  readonly #fromWire = new Map<string, string>();

  constructor(names: Iterable<string>, longest: number) {
    this.#longest = longest;
    for (const name of names) this.toWire(name);
  }

  toWire(name: string): string {
    const known = this.#toWire.get(name);
    if (known !== undefined) return known;
    const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, this.#longest);
    let unique = plain;
    for (let number = 2; this.#fromWire.has(unique); number += 1) {
      unique = `${plain.slice(0, this.#longest - 4)}_${number}`;
    }
    this.#toWire.set(name, unique);
    this.#fromWire.set(unique, name);
    return unique;
  }

  fromWire(name: string): string {
    return this.#fromWire.get(name) ?? name;
  }
}
