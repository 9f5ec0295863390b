import { useEffect, useState } from 'react';

/** The time, in milliseconds, for which a new button that decides something does nothing: typing that goes on cannot press it. */
const delay = 500;

/** Returns true once a control has been on screen long enough to act. */
export function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), delay);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}
