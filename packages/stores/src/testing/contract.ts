import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Store, StoreCapabilities } from '@loom/kernel/store';
import { testBlobs } from './contract-blobs.ts';
import { testCoordination } from './contract-coordination.ts';
import { testHeads } from './contract-heads.ts';
import { testInterleavings } from './contract-interleavings.ts';
import { testLifetime } from './contract-lifetime.ts';
import { testLogs } from './contract-logs.ts';
import { testProjections } from './contract-projections.ts';
import { testRewriting } from './contract-rewriting.ts';

/** A kind of store, as the contract suite needs to know it. */
export interface StoreKind {
  /** The name of the store in every test title. */
  name: string;
  /** The capabilities the stores of this kind declare. Tests of the others are skipped, visibly. */
  capabilities: StoreCapabilities;
  /** The number of runs of a property: fewer where opening is slow. */
  runs?: number;
  /** Makes new, empty data, which is removed at the end of the test. */
  create: (t: TestContext) => StoreData;
}

/** The data of one test. */
export interface StoreData {
  /** A handle on the data: the first, another one beside it (if the kind is `shared`), or one after the others were closed. */
  open(): Promise<Store>;
  /** Moves the clock that leases go by. */
  passTime(milliseconds: number): void | Promise<void>;
}

/** Registers the tests that every store passes: the rules ST of docs/spec/stores.md. */
export function testStoreContract(kind: StoreKind): void {
  test(`[ST1] ${kind.name}: a store declares what its kind can do`, async (t) => {
    const store = await kind.create(t).open();
    assert.deepEqual(store.capabilities, kind.capabilities);
  });
  testLogs(kind);
  testInterleavings(kind);
  testProjections(kind);
  testRewriting(kind);
  testHeads(kind);
  testCoordination(kind);
  testBlobs(kind);
  testLifetime(kind);
}
