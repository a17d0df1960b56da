import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { builtWithTypes } from "../support/built.ts";
import { ProgramFolder } from "../support/program.ts";

const types = fileURLToPath(new URL("../../dist/types", import.meta.url));

/** What each does wrong on purpose has a directive above it: the compiler complains of one that is not needed. */
const PROGRAMS: Record<string, string> = {
  "know today's statuses, and take those of tomorrow": `
import { type CrecClient, type Open, type Operation, type OperationStatus, unlisted } from "@crec-nodes/node-red-crec";

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
`,
  "tell the payload of an event by its type": `
import {
  type ChannelEvent,
  type DecodedWatcherEvent,
  decodeEvent,
  isEvent,
  type OperationStatusPayload,
  type QueryStatusPayload,
  type VerifiableEvent,
  type WalletStatusPayload,
  type WatcherEventPayload,
  type WatcherStatusPayload,
} from "@crec-nodes/node-red-crec";

export function run(event: ChannelEvent): unknown {
  // @ts-expect-error
  event.payload.watcher_id;
  // @ts-expect-error
  if (event.headers.type === "watcher.evnt") return;
  if (isEvent(event, "watcher.event")) {
    const payload: WatcherEventPayload = event.payload;
    const decoded: DecodedWatcherEvent = decodeEvent(event);
    // @ts-expect-error
    decoded.walletOperationId;
    return [payload.verifiable_event, decoded.name, decodeEvent(event).params];
  }
  if (isEvent(event, "operation.status")) {
    const payload: OperationStatusPayload = event.payload;
    // @ts-expect-error
    if (payload.status === "confrimed") return;
    // @ts-expect-error
    if (decodeEvent(event).status === "confrimed") return;
    return [payload.wallet_operation_id, decodeEvent(event).transactionHash];
  }
  if (isEvent(event, "query.status")) {
    const payload: QueryStatusPayload = event.payload;
    return [payload.query_id, decodeEvent(event).block?.number];
  }
  if (isEvent(event, "watcher.status")) {
    const payload: WatcherStatusPayload = event.payload;
    return [payload.watcher_id, decodeEvent(event).workflowId];
  }
  if (isEvent(event, "wallet.status")) {
    const payload: WalletStatusPayload = event.payload;
    return [payload.wallet_id, decodeEvent(event).wallet];
  }
  // @ts-expect-error
  isEvent(event, "watcher.evnt");
  // Of a type of tomorrow, all that is there.
  const rest: Record<string, unknown> = event.payload;
  const decoded: Record<string, unknown> = decodeEvent(event);
  return [rest, decoded];
}

export function ofAny(event: ChannelEvent, signed: VerifiableEvent): unknown {
  const decoded = decodeEvent(event);
  return "params" in decoded ? decoded.params : signed.chain_event?.tx_hash;
}
`,
  "let nobody read by a mistyped type": `
import { EventConsumer, type EventConsumerOptions, eventFilter, unlisted } from "@crec-nodes/node-red-crec";

export function run(options: EventConsumerOptions): unknown {
  new EventConsumer({ ...options, types: ["watcher.event"] });
  new EventConsumer({ ...options, types: [unlisted("a type of tomorrow")], unlistedTypes: true });
  // @ts-expect-error
  new EventConsumer({ ...options, types: ["watcher.evnt"] });
  // @ts-expect-error
  return eventFilter({ types: ["watcher.evnt"] });
}
`,
};

/** What editors and compilers of others see. */
describe("the types of the package", function () {
  this.timeout(120_000);

  before(builtWithTypes);

  it("hold no any, and name nothing of another package", () => {
    const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.d\.m?ts$/.test(file),
    );
    should(files.length).be.above(20);
    for (const file of files) {
      const text = readFileSync(join(types, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
      // A choice may be called "any".
      should(text.replaceAll(/"[^"\n]*"/g, '""').match(/.*\bany\b.*/g) ?? []).deepEqual([], file);
      const foreign = [...text.matchAll(/(?:from |import\()"([^."][^"]*)"/g)].map((match) => match[1]);
      should(foreign).deepEqual([], file);
    }
  });

  for (const [promise, program] of Object.entries(PROGRAMS)) {
    it(promise, async () => {
      const folder = await ProgramFolder.make({ "program.mts": program });
      try {
        should(await folder.check("program.mts")).equal("");
      } finally {
        await folder.remove();
      }
    });
  }

  it("need the types of Node.js, as the page says, and nothing else", async () => {
    const folder = await ProgramFolder.make({ "program.mts": 'import "@crec-nodes/node-red-crec";' });
    try {
      const missing = (await folder.check("program.mts", { types: [] })).match(/Cannot find name '\w+'/g);
      should([...new Set(missing)].sort()).deepEqual([
        "Cannot find name 'AbortSignal'",
        "Cannot find name 'URL'",
      ]);
    } finally {
      await folder.remove();
    }
  });
});
