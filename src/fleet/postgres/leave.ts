// Takes a copy off the list of members.
//
//   in   $1 id of the copy
//   out  no row. Its leases stay.

import type { Copy } from "../../consumer/index.ts";
import type { Run } from "./statement.ts";

function leaveStatement(namespace: string): string {
  return `DELETE FROM ${namespace}.member WHERE id = $1::text`;
}

export async function leave({ run, namespace }: { run: Run; namespace: string }, copy: Copy): Promise<void> {
  await run(leaveStatement(namespace), [copy.id]);
}
