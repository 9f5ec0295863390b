import { refuse } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import { idKinds } from '../forest/ids.ts';
import { roles } from './operation.ts';
import type { Caller, Operation, Role } from './operation.ts';

/** Returns true if a caller with this role may do what needs the other one. */
export function suffices(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** Refuses a caller limited to some conversations that asks for something that concerns everything. */
export function refuseLimited({ roots }: Caller, operation: string): Refused | undefined {
  return roots === undefined ? undefined : refuse({ reason: 'not-permitted', needs: 'all-roots', operation });
}

/**
 * Refuses a caller that may not ask for this: the one place where door, role and conversations are looked at, for all
 * operations. Without the conversations that a call names, it refuses only if the caller may make no call at all.
 */
export function refuseCaller(operation: Operation, caller: Caller, named?: readonly string[]): Refused | undefined {
  const { name, doors, role, effect } = operation;
  if (!doors.includes(caller.door)) return refuse({ reason: 'not-permitted', needs: 'door', operation: name });
  if (!suffices(caller.role, role)) return refuse({ reason: 'not-permitted', needs: role, operation: name });
  const { roots } = caller;
  if (roots === undefined) return undefined;
  const outside = named?.filter((root) => !roots.includes(root)) ?? [];
  if (outside.length > 0) return refuse({ reason: 'not-permitted', needs: 'roots', operation: name, roots: outside });
  // A call that names no conversation makes one, or changes something that all share.
  const namesSome = named === undefined ? idKinds(operation.params).size > 0 : named.length > 0;
  if (effect === 'reads' || namesSome) return undefined;
  return refuse({ reason: 'not-permitted', needs: 'all-roots', operation: name });
}
