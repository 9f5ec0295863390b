import { aboutOperations } from './about-operations.ts';
import type { AddedCalls } from './host/added-calls.ts';
import { blockOperations } from './block-operations.ts';
import { callOperations } from './call-operations.ts';
import { contextOperations } from './context-operations.ts';
import { draftOperations } from './draft-operations.ts';
import { idOperations } from './id-operations.ts';
import { nodeOperations } from './node-operations.ts';
import type { Calls } from './operation.ts';
import type { dataOperations } from './host/data-operations.ts';
import type { exportOperations } from './host/export-operations.ts';
import type { importOperations } from './host/import-operations.ts';
import type { loginOperations } from './host/login-operations.ts';
import type { modelOperations } from './host/model-operations.ts';
import { purgeOperations } from './host/purge-operations.ts';
import type { promptOperations } from './host/prompt-operations.ts';
import type { settingOperations } from './host/setting-operations.ts';
import { blobOperations } from './overview/blob-operations.ts';
import { boardOperations } from './overview/board-operations.ts';
import { bookmarkOperations } from './overview/bookmark-operations.ts';
import { homeOperations } from './overview/home-operations.ts';
import { jobOperations } from './overview/job-operations.ts';
import { outlineOperations } from './overview/outline-operations.ts';
import { placeOperations } from './overview/place-operations.ts';
import { projectOperations } from './listing/project-operations.ts';
import { secretOperations } from './overview/secrets/secret-operations.ts';
import { tagOperations } from './overview/tag-operations.ts';
import { toolOperations } from './overview/tool-operations.ts';
import { usageOperations } from './overview/usage-operations.ts';
import { approvalOperations } from './overview/approval-operations.ts';
import { waitingOperations } from './overview/waiting-operations.ts';
import { titleOperations } from './listing/title-operations.ts';
import { markingOperations } from './listing/root-marking.ts';
import { rootOperations } from './root-operations.ts';
import { treeOperations } from './tree-operations.ts';
import { agentOperations } from './turns/agent-operations.ts';
import { turnOutlineOperations } from './overview/turn-outline-operations.ts';
import { turnOperations } from './turns/turn-operations.ts';

/** All operations of the kernel. */
export const kernelOperations = [
  ...rootOperations,
  ...markingOperations,
  ...titleOperations,
  ...projectOperations,
  ...tagOperations,
  ...bookmarkOperations,
  ...homeOperations,
  ...treeOperations,
  ...outlineOperations,
  ...turnOutlineOperations,
  ...nodeOperations,
  ...draftOperations,
  ...blockOperations,
  ...blobOperations,
  ...purgeOperations,
  ...secretOperations,
  ...placeOperations,
  ...contextOperations,
  ...turnOperations,
  ...agentOperations,
  ...approvalOperations,
  ...waitingOperations,
  ...boardOperations,
  ...toolOperations,
  ...usageOperations,
  ...jobOperations,
  ...callOperations,
  ...idOperations,
  ...aboutOperations,
] as const;

/** The operations by name, with their parameters and results: the kernel's own, those whose ports it is handed, and those of tools. */
export type KernelCalls = Calls<typeof kernelOperations> &
  Calls<ReturnType<typeof modelOperations>> &
  Calls<ReturnType<typeof settingOperations>> &
  Calls<ReturnType<typeof promptOperations>> &
  Calls<ReturnType<typeof loginOperations>> &
  Calls<ReturnType<typeof dataOperations>> &
  Calls<ReturnType<typeof importOperations>> &
  Calls<ReturnType<typeof exportOperations>> &
  AddedCalls;

/** The parameters of an operation; of those that others add only the schema knows them. */
export type ParamsOf<Name extends string> = Name extends keyof KernelCalls ? KernelCalls[Name]['params'] : unknown;
export type ResultOf<Name extends string> = Name extends keyof KernelCalls ? KernelCalls[Name]['result'] : unknown;
