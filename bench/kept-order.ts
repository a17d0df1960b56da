import { eventually } from "../test/support/eventually.ts";
import { functionNode } from "../test/support/flow-harness.ts";
import { OperationHarness, RECEIVER } from "../test/support/operation-harness.ts";
import { submitNode, value } from "../test/support/operation-nodes.ts";
import type { Passing } from "../test/support/proxy.ts";
import { type Measured, median, perSecond } from "./measured.ts";
import { sized } from "./sized.ts";

const ROUNDS = sized(3, 1);
/** How long the service takes for its answer, and how many messages of one tick are sent. */
const CASES = [
  { answerMs: 0, messages: sized(60, 3) },
  { answerMs: 100, messages: sized(40, 3) },
];

/** The messages of one tick through submit operation, with the order kept and without it, in turns. */
export async function benchKeptOrder(): Promise<Measured[]> {
  const harness = await OperationHarness.start({});
  try {
    const rows: Measured[] = [];
    for (const { answerMs, messages } of CASES) {
      const times: Record<"kept" | "free", number[]> = { kept: [], free: [] };
      await deploy(harness, messages);
      // The first one looks everything up.
      await timeToSend(harness, "free", { answerMs: 0, messages });
      for (let round = 0; round < ROUNDS; round += 1)
        for (const id of ["kept", "free"] as const)
          times[id].push(await timeToSend(harness, id, { answerMs, messages }));
      const [kept, free] = [median(times.kept), median(times.free)];
      const answers = `answers after ${answerMs} ms`;
      rows.push(
        { what: `${answers}: ${messages} messages`, value: perSecond(messages, free, "operations") },
        { what: `${answers}: with the order kept`, value: perSecond(messages, kept, "operations") },
        { what: "the time with the order kept, of that without", value: (kept / free).toFixed(2) },
      );
    }
    return rows;
  } finally {
    await harness.close();
  }
}

function deploy(harness: OperationHarness, messages: number): Promise<void> {
  const node = (id: string, keepOrder: boolean) =>
    submitNode({
      ...{ id, keepOrder, version: 2, waitFor: "accepted", follow: false, timeout: "120" },
      calls: [{ kind: "raw", to: value(RECEIVER), amount: value("payload", "msg") }],
    });
  const burst = `for (let payload = 1; payload <= ${messages}; payload += 1) node.send({ payload }); return null;`;
  return harness.deploy([
    [node("kept", true), 2],
    [node("free", false), 2],
    [functionNode("burst-kept", burst, ["kept"]), 0],
    [functionNode("burst-free", burst, ["free"]), 0],
  ]);
}

/** Milliseconds from the press of a button until the service has accepted the last one. */
async function timeToSend(
  { nodeRed, proxy }: OperationHarness,
  id: "kept" | "free",
  { answerMs, messages }: { answerMs: number; messages: number },
): Promise<number> {
  const isPost = ({ method, path }: Passing) => method === "POST" && path.endsWith("/operations");
  proxy.harm = (passing) =>
    isPost(passing) && answerMs > 0 ? { kind: "hold", until: later(answerMs) } : undefined;
  const reached = () => nodeRed.shown(`${id}:0`).length;
  const before = reached();
  const start = performance.now();
  await nodeRed.press(`press-burst-${id}`, { payload: 0 });
  await eventually("all of them are accepted", () => reached() - before >= messages);
  return performance.now() - start;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
