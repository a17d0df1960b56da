import { createContext, runInContext } from "node:vm";
import { takeChannel } from "../../../rehearsal/child/channel.ts";
import { closeDoors } from "../../../rehearsal/child/main.ts";
import type { ToParent } from "../../../rehearsal/shared/messages.ts";
import type { Attempt, Target } from "./attempts.ts";

// A process as a rehearsal has it, which makes attempts as a function node would. `open` as its second argument: the
// doors stay open, which shows that the attempts would get through.

export type Tried = { name: string; result?: string; code?: string; message?: string };

const channel = takeChannel();
if (process.argv[3] !== "open") await closeDoors(process.argv[1] ?? "");

const { attempts, target } = JSON.parse(process.argv[2] ?? "") as { attempts: Attempt[]; target: Target };

async function tryOne({ name, code }: Attempt): Promise<Tried> {
  const context = createContext({ Buffer, setTimeout, target });
  try {
    const result: unknown = await runInContext(`(async () => { ${code}\n})()`, context);
    return { name, result: String(result) };
  } catch (error) {
    const { code: word, message } = error as NodeJS.ErrnoException;
    return { name, ...(word === undefined ? {} : { code: word }), message: String(message) };
  }
}

process.on("uncaughtException", () => {});
const tried = await Promise.all(attempts.map(tryOne));
await channel.sendLast({ kind: "tried", tried } as unknown as ToParent);
process.exit(0);
