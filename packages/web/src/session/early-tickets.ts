/** The name under which the browser keeps the token of this page. */
export const tokenKey = 'loom-token';

/** True on the page of a link, which is read with the secret of the link alone. */
export const isShared = location.pathname.startsWith('/s/');

/**
 * Tickets for the feeds that a page opens with: of the list, and of the conversation that the address names. Asked for before the rest of the page is
 * evaluated, which takes longer than the answer.
 */
const early = isShared || isSigningIn() ? [] : askForTickets(localStorage.getItem(tokenKey));

/** The answer to an early question for a ticket, once each. */
export function earlyTicket(): Promise<Response> | undefined {
  return early.shift();
}

function askForTickets(token: string | null): Promise<Response>[] {
  if (token === null) return [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return Array.from({ length: /^\/(?:r|tree|compare)\//u.test(location.pathname) ? 2 : 1 }, () => {
    const answer = fetch('/auth/ticket', { method: 'POST', headers, body: '{}' });
    // The caller that takes it handles a failure.
    answer.catch(() => {});
    return answer;
  });
}

/** A code in the address brings another token. */
function isSigningIn(): boolean {
  return location.hash.startsWith('#code=');
}
