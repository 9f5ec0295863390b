export { EncodedFrame } from './encoded-frame.ts';
export { FrameError, parseClientFrame, parseServerFrame } from './frame-parsing.ts';
export { encodeFrame, protocol } from './frames.ts';
export type {
  ChangeFrame,
  ClientFrame,
  OpenedFrame,
  RootView,
  Scope,
  SentEdit,
  ServerFrame,
  Snapshot,
  TurnView,
  UpdateFrame,
  WaitingView,
  WelcomeFrame,
} from './frames.ts';
export type { Member } from './member.ts';
export type { Connection } from './outbox.ts';
export { Replica } from './replica.ts';
export type { LostEdit, ReplicaChange, ReplicaOptions, ReplicaStatus } from './replica.ts';
export { Room } from './room.ts';
export type { RoomOptions, Visitor } from './room-options.ts';
export type { CreateText } from './shared-text.ts';
