/** The rules that must hold after every step. */
export type Invariant =
  /** A kernel's state equals the reduction of its log. */
  | 'state-equal'
  /** The head of a log, from which lists are made, matches the result of all its changes. */
  | 'head-true'
  /** Each complete call has exactly one result, and requests to models are paired. */
  | 'paired'
  /** No node, block, turn or (agent, request) has the id of another. */
  | 'id-once'
  /** The prefix stored with a generated block matches the context read back from the log. */
  | 'prefix-exact'
  /** Streamed text is the model's text, from the beginning on and without a hole. */
  | 'words-kept'
  /** A message that a turn is answering stays unchanged, unless its block is edited as such. */
  | 'question-kept'
  /** A turn writes nothing after its end. */
  | 'fenced'
  /** A tool starts at most once per call. */
  | 'tool-once'
  /** A call that needs approval starts only after the user's decision, with the arguments that it was about. */
  | 'approved'
  /** A turn that ended or was recovered has nothing open. */
  | 'closed'
  /** An acknowledged request is in the log. */
  | 'kept'
  /** An accepted message is taken exactly once, or still waits. */
  | 'message-once'
  /** Left alone, everything comes to an end. */
  | 'comes-to-rest'
  /** Kernels fail only if the store fails. */
  | 'no-defect';

/** An invariant that did not hold. */
export interface Violation {
  invariant: Invariant;
  message: string;
}

export type Report = (invariant: Invariant, message: string) => void;
