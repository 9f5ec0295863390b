import { liveChildren, nodeJson } from '@loom/kernel';
import type { FeedEvent, NodeJson, RootState } from '@loom/kernel';
import type { FileLedger } from '../file-ledger.ts';
import { nodeFileName } from '../file-names.ts';
import { isBeingWritten } from '../intake/decide-edits.ts';
import { linksSum } from '../node-links-sum.ts';

/** The shortest time between two flushes of a node that is being written, in milliseconds. */
const runningPause = 1000;

/** A node whose file does not match the log. */
export interface DueNode {
  name: string;
  json: NodeJson;
  links: string;
}

/** The nodes of a root that have changed since their files were written. */
export class DirtyNodes {
  /** The earliest time each may be written, in milliseconds since 1970. */
  readonly #nodes = new Map<string, number>();
  readonly #blocks = new Set<string>();
  readonly #parentsOf = new Set<string>();
  readonly #flushed = new Map<string, number>();
  #all = true;

  get isEmpty(): boolean {
    return !this.#all && this.#nodes.size + this.#blocks.size + this.#parentsOf.size === 0;
  }

  /** The least number of them. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Returns the time the next one may be written; now, if that is unknown. */
  nextTime(now: number): number {
    if (this.#all || this.#blocks.size + this.#parentsOf.size > 0) return now;
    let next = Infinity;
    for (const time of this.#nodes.values()) next = Math.min(next, time);
    return next;
  }

  add(node: string, notBefore = 0): void {
    this.#nodes.set(node, notBefore);
  }

  /** Marks every node for comparison with the ledger. */
  addAll(): void {
    this.#all = true;
  }

  /** Leaves that comparison to the caller, which makes it for the present nodes and adds those that need writing. */
  leaveToOthers(): void {
    this.#all = false;
  }

  note(event: FeedEvent): void {
    switch (event.type) {
      case 'text-appended':
      case 'text-changed':
      case 'status-changed':
        this.#blocks.add(event.block);
        return;
      case 'block-added':
      case 'block-changed':
      case 'block-removed':
        return this.add(event.node);
      case 'node-added':
      case 'node-changed':
        this.add(event.node.id);
        return this.add(event.node.parent);
      case 'node-removed':
      case 'node-restored':
        this.add(event.node);
        this.#parentsOf.add(event.node);
        return;
      case 'node-moved':
        // Only the ledger knows its former place.
        return this.addAll();
      default:
    }
  }

  /** Takes out nodes to write now: all, or those that are due. */
  take(state: RootState, ledger: FileLedger, now: number, most: number, everything: boolean): DueNode[] {
    this.#resolve(state, ledger);
    const due: DueNode[] = [];
    for (const [id, notBefore] of this.#nodes) {
      if (due.length === most) break;
      if (notBefore > now && !everything) continue;
      const node = state.nodes.get(id);
      const name = nodeFileName(state.id, id);
      const json = name === undefined ? undefined : nodeJson(state, id);
      if (node !== undefined && isBeingWritten(state, node)) {
        const next = (this.#flushed.get(id) ?? -Infinity) + runningPause;
        if (next > now && !everything) {
          this.#nodes.set(id, next);
          continue;
        }
        this.#flushed.set(id, now);
      } else {
        this.#flushed.delete(id);
      }
      this.#nodes.delete(id);
      // The root itself is among the parents, and has a separate file.
      if (name !== undefined && json !== undefined)
        due.push({ name, json, links: linksSum(json.parent_id, json.child_ids) });
    }
    return due;
  }

  #resolve(state: RootState, ledger: FileLedger): void {
    for (const block of this.#blocks) {
      const node = state.nodeOfBlock.get(block);
      if (node !== undefined) this.add(node);
    }
    for (const id of this.#parentsOf) {
      const parent = state.nodes.get(id)?.parent;
      if (parent !== undefined) this.add(parent);
    }
    this.#blocks.clear();
    this.#parentsOf.clear();
    if (!this.#all) return;
    this.#all = false;
    for (const node of state.nodes.values()) {
      const entry = ledger.get(nodeFileName(state.id, node.id) ?? '');
      const isWritten = entry?.seq === node.touched && entry.links === linksOf(state, node.id, node.parent);
      if (!isWritten) this.add(node.id);
    }
  }
}

/** The checksum of a node's links. */
export function linksOf(state: RootState, id: string, parent: string): string {
  return linksSum(
    parent,
    liveChildren(state, id).map((child) => child.id),
  );
}
