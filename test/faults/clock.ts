import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ReadyInfo } from "../../service/src/index.ts";
import type { Cell } from "./cell.ts";
import type { ClockFault } from "./faults/index.ts";
import type { MethodKind } from "./methods.ts";
import { childEnvironment } from "./names.ts";

/** What a method did in a process with a wrong clock. */
export type ClockCell = Cell & { name: string; kind: MethodKind };

/** Calls every method in a process whose clock is wrong. The service has the right time. */
export async function clockCells(
  ready: ReadyInfo,
  { offMs }: ClockFault,
  apiKey: string,
): Promise<ClockCell[]> {
  const program = fileURLToPath(new URL("./clock-child.ts", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(ready), apiKey], {
    env: { ...process.env, ...childEnvironment(offMs) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const written = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) throw new Error(`The process with the wrong clock ended with ${code}: ${written}`);
  return JSON.parse(written) as ClockCell[];
}
