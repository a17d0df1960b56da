// The types know today's statuses and types, and take those of tomorrow. Lint compiles this file, and complains of a directive that
// is not needed: each stands above a mistake. Nothing runs it.
import {
  type CrecClient,
  type Open,
  type Operation,
  type OperationStatus,
  unlisted,
} from "../../../src/index.ts";

export async function run(client: CrecClient, operation: Operation): Promise<void> {
  const status: Open<OperationStatus> = operation.status;
  const text: string = status;
  if (status === "confirmed" || status === text) return;
  // @ts-expect-error
  if (status === "confrimed") return;
  switch (operation.status) {
    case "failed":
      break;
    // @ts-expect-error
    case "expried":
      break;
  }
  const paused = unlisted("paused");
  if (status === paused) return;
  await client.operations.list("a", { status: ["confirmed", paused] });
  // @ts-expect-error
  await client.operations.list("a", { status: ["confirmd"] });
  await client.events.search("a", { type: ["watcher.event", unlisted("a type of tomorrow")] });
  // @ts-expect-error
  await client.events.search("a", { type: ["watcher.evnt"] });
  // What may be left out may be undefined, however strict the program.
  const limit: number | undefined = status.length > 3 ? 5 : undefined;
  await client.channels.list({ name: undefined, limit }, { signal: undefined });
  await client.events.poll("a", { offset: undefined, limit });
  // What can be waited for is known, and a mistyped target is an error.
  await client.operations.waitFor("a", "b", { target: "confirmed_safe" });
  // @ts-expect-error
  await client.operations.waitFor("a", "b", { target: "confirmd" });
}
