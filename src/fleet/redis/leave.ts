// Takes a copy off the lists of members.
//
//   in   KEYS the members of each of its groups; ARGV[1] [id, name] as JSON
//   out  nothing. Its leases stay.

import type { Copy } from "../../consumer/index.ts";
import { membersKey } from "./keys.ts";
import { memberText } from "./members.ts";
import type { RunScript } from "./script.ts";

const LEAVE = {
  text: `for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end`,
};

export async function leave(
  { run, namespace }: { run: RunScript; namespace: string },
  copy: Copy,
  groups: readonly string[],
): Promise<void> {
  const keys = groups.map((group) => membersKey(namespace, group));
  await run(LEAVE, keys, [memberText(copy)]);
}
