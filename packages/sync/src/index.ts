export { EncodedFrame } from './room/encoded-frame.ts';
export { FrameError } from './frame-error.ts';
export { parseClientFrame } from './client-frame-parsing.ts';
export { encodeFrame, protocol } from './frames.ts';
export type {
  ChangeFrame,
  ClientFrame,
  JoinFrame,
  NodesFrame,
  OutlineFrame,
  OpenedFrame,
  EndedTurnView,
  RootView,
  Scope,
  SentEdit,
  SentFlip,
  SentWork,
  ServerFrame,
  Snapshot,
  TurnView,
  UpdateFrame,
  WaitingView,
  WelcomeFrame,
} from './frames.ts';
export { encodeListFrame, longestList, parseListFrame, parseListJoin } from './list/list-frames.ts';
export type { ListFrame, ListJoinFrame } from './list/list-frames.ts';
export { ListReplica } from './list/list-replica.ts';
export type { ListReplicaOptions, ListStatus, ListView } from './list/list-replica.ts';
export { ListRoom } from './list/list-room.ts';
export type { ListMember, ListRoomOptions, ListVisitor, ReadList } from './list/list-room.ts';
export type { Member } from './room/member.ts';
export type { OutlineNode, SentOutlineNode } from './room/outline.ts';
export type { Connection } from './room/waiting-frames.ts';
export type { PendingEdit, PendingFlip, PendingWork } from './replica/edit-queue.ts';
export { Replica } from './replica/replica.ts';
export type {
  EditingMeans,
  LostEdit,
  ReplicaChange,
  ReplicaOptions,
  ReplicaStatus,
  TextAuthor,
  TextChange,
} from './replica/replica-options.ts';
export type { ReplicaState, Watched } from './replica/replica-watch.ts';
export { parseServerFrame } from './server-frame-parsing.ts';
export { Room } from './room/room.ts';
export type { RoomOptions, Visitor } from './room/room-options.ts';
export type { PageLimits } from './room/snapshot.ts';
export { pendingWork } from './replica/kept-text.ts';
export type { KeptStep, KeptText, TextKeeper } from './replica/kept-text.ts';
export type { CreateText } from './replica/shared-text.ts';
export type { WireEvent } from './room/wire-events.ts';
