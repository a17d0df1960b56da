import type { OperationTypedData } from "../typed-data.ts";

const CALLS_SHOWN = 3;
/** The last second that a date can show. */
const LAST_DATE_S = 8.64e12;

/** What is signed, in one line for the people who approve it where only the digest is sent. */
export function operationNote({ domain, message }: OperationTypedData): string {
  const { id, account, deadline, transactions } = message;
  const calls = transactions.slice(0, CALLS_SHOWN).map(({ to, value, data }) => {
    const amount = value === "0" ? "" : ` with ${value} wei`;
    return data === "0x" ? `send to ${to}${amount}` : `call ${data.slice(0, 10)} of ${to}${amount}`;
  });
  const left = transactions.length - calls.length;
  const more = left > 0 ? [`${left} more`] : [];
  return `Operation ${id} of wallet ${account} on chain ${domain.chainId}, ${until(deadline)}: ${[...calls, ...more].join("; ")}`;
}

function until(deadline: string): string {
  const seconds = Number(deadline);
  if (seconds === 0) return "without a deadline";
  if (seconds > LAST_DATE_S) return `until ${deadline}`;
  return `until ${new Date(seconds * 1000).toISOString().replace(".000", "")}`;
}
