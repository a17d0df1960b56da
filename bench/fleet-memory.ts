import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startEventServer, storedEvent } from "../test/consumer/event-server.ts";
import type { Measured } from "./measured.ts";
import { sized } from "./sized.ts";

export const IDLE_READERS = sized(1_000, 50);

/** Resident memory in bytes, at rest. */
export type ReaderMemory = { before: number; client: number; readers: number };

/** What idle readers of as many channels need in memory, in a process that does nothing else. */
export async function benchIdleReaders(): Promise<Measured[]> {
  const server = await startEventServer(
    Array.from({ length: 10 }, (_, i) => JSON.stringify(storedEvent(i + 1))),
  );
  const child = fork(join(import.meta.dirname, "fleet-memory-child.ts"), [server.baseUrl], {
    execArgv: ["--expose-gc"],
  });
  try {
    const [{ before, client, readers }] = (await once(child, "message")) as [ReaderMemory];
    const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    const each = (readers - client) / IDLE_READERS / 1024;
    return [
      { what: "the library, loaded", value: mib(before) },
      { what: "with one reader", value: mib(client) },
      {
        what: `with ${IDLE_READERS.toLocaleString("en")} readers, each of its own channel`,
        value: mib(readers),
      },
      { what: "  each", value: `${each.toFixed(1)} KiB` },
    ];
  } finally {
    child.kill();
    await server.close();
  }
}
