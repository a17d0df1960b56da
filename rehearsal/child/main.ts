import { LONGEST_TEXT } from "../shared/messages.ts";
import type { ChildSetup } from "../shared/setup.ts";
import { takeChannel } from "./channel.ts";
import { closeDoors } from "./doors.ts";
import { loadNodeRed } from "./node-red.ts";
import { rehearse } from "./rehearse.ts";

/**
 * The process that a flow is rehearsed in. Its argument is the setup; the job and the events come through a pipe. It ends
 * when it has reported.
 */
export async function runChild(): Promise<never> {
  const channel = takeChannel();
  try {
    const setup = JSON.parse(process.argv[2] ?? "") as ChildSetup;
    clearEnvironment();
    process.env.TZ = setup.timeZone;
    await closeDoors(process.argv[1] ?? "");
    await rehearse(await loadNodeRed(setup), channel);
    process.exit(0);
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_TEXT);
    await channel.sendLast({ kind: "failed", code: "REHEARSAL_FAILED", message });
    process.exit(1);
  }
}

/** On Windows, a process is given some variables in any case, such as the user's name and the PATH. It needs one. */
function clearEnvironment(): void {
  for (const name of Object.keys(process.env)) {
    if (name.toUpperCase() !== "SYSTEMROOT") delete process.env[name];
  }
}
