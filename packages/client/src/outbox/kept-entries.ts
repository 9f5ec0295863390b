import type { KeptStep, KeptText, PendingWork } from '@loom/sync';
import { isObject, parseJson } from '../json.ts';
import type { StoredEntry } from './outbox-storage.ts';

/** Unconfirmed typing lies beside the entries of an outbox, under ids with this prefix. */
const textPrefix = 'text:';

/** The steps of such a text since, in pages that are numbered from 1. */
const pagePrefix = 'text-steps:';

export function isTextId(id: string): boolean {
  return id.startsWith(textPrefix) || id.startsWith(pagePrefix);
}

export function textId(id: string): string {
  return `${textPrefix}${id}`;
}

export function pageId(text: string, number: number): string {
  return `${pagePrefix}${number}:${text}`;
}

/** A page of the steps of a text. */
export interface StepsPage {
  readonly text: string;
  readonly number: number;
  readonly steps: readonly KeptStep[];
}

/** Reads an entry that is a page of steps. Steps that cannot be read end it: later ones may build on them. */
export function readPage({ id, text: content }: StoredEntry): StepsPage[] {
  const [, number, text] = /^text-steps:(\d+):(.*)$/su.exec(id) ?? [];
  if (number === undefined || text === undefined) return [];
  const steps: KeptStep[] = [];
  for (const line of content.split('\n').filter((part) => part !== '')) {
    const read = parseJson(line);
    if (!Array.isArray(read) || !read.every(isStep)) break;
    steps.push(...read);
  }
  return [{ text, number: Number(number), steps }];
}

/** Reads an entry that is a text, with the steps since. */
export function readText({ id, text }: StoredEntry, pages: ReadonlyMap<string, readonly StepsPage[]>): KeptText[] {
  if (!id.startsWith(textPrefix)) return [];
  const name = id.slice(textPrefix.length);
  const read = parseJson(text);
  const ordered = [...(pages.get(name) ?? [])].sort((a, b) => a.number - b.number);
  const kept = { ...(isObject(read) ? read : {}), id: name, steps: ordered.flatMap(({ steps }) => steps) };
  return isKeptText(kept) ? [kept] : [];
}

function isKeptText(value: object): value is KeptText {
  if (!isObject(value)) return false;
  const { block, node, epoch, seed, document, growing = 0, edits, holds = [] } = value;
  const isText = (text: unknown): boolean => typeof text === 'string';
  const isWhole = [block, node, epoch, document].every(isText) && Array.isArray(holds) && holds.every(isText);
  return isWhole && [seed, growing].every(Number.isSafeInteger) && Array.isArray(edits) && edits.every(isWork);
}

function isStep(value: unknown): value is KeptStep {
  if (!isObject(value)) return false;
  if ('did' in value) return isWork(value['did']);
  return ['update', 'grown', 'confirmed'].some((name) => typeof value[name] === 'string');
}

function isWork(value: unknown): value is PendingWork {
  if (!isObject(value)) return false;
  const { id, client, seed, burst, update, flip } = value;
  if (typeof id !== 'string' || ![client, seed].every(Number.isSafeInteger)) return false;
  return flip === undefined
    ? typeof update === 'string' && Number.isSafeInteger(burst)
    : flip === 'undo' || flip === 'redo';
}
