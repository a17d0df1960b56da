import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { Custodian } from "../support/custodian.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import { type FlowNode, freshId, NodeRed, type NodeStatus, UserDir } from "../support/node-red.ts";
import { checkError, KEPT, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, submitNode, value, walletNode } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";
import { hasRedis, RedisServer } from "../support/redis.ts";
import { sized } from "../support/variants.ts";

const settings = fileURLToPath(new URL("custody-settings.cjs", import.meta.url));
const APPROVE = /^Custodian: a person must approve, 14 min left \(PENDING_AUTHORIZATION\)$/;
const TIMEOUT_MS = 30 * 60_000;
/** As many and as large as an operation may be. */
const CALL_BYTES = 128 * 1024;

/** A key service in which people approve may take longer than Node-RED runs. */
describe("a signature that a person approves", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let custodian: Custodian;
  let signer: FlowNode;

  before(async () => {
    harness = await OperationHarness.start({}, { settings });
    custodian = await Custodian.start(harness.key);
    const { url } = custodian;
    signer = { id: "elsewhere", type: "custody-signer", url, address: harness.owner, timeoutMs: TIMEOUT_MS };
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await custodian?.close();
    await harness?.close();
  });

  const flow = (more: Partial<FlowNode> = {}): Array<[FlowNode, number]> => [
    [submitNode({ wallet: "custody", follow: false, ...more }), 2],
    [operationNode("finalize", { signer: "elsewhere" }), 1],
  ];
  const config = () => [signer, walletNode(harness.service.ready, { id: "custody", signer: "elsewhere" })];
  const deploy = (more: Partial<FlowNode> = {}, type?: "full" | "flows" | "nodes") =>
    harness.deploy(flow(more), config(), type);
  const isSubmit = ({ method, path }: Passing) => method === "POST" && path.endsWith("/operations");
  const down = { kind: "answer", status: 503, body: "{}" } as const;
  const isTroubled = ({ fill, text = "" }: NodeStatus) => fill === "yellow" && !APPROVE.test(text);
  const submits = () => harness.proxy.passed.filter(isSubmit).length;
  const good = { to: RECEIVER, payload: "1" };
  const press = async (id: string, message: Message, nodeRed = harness.nodeRed): Promise<string> => {
    const probe = freshId();
    await nodeRed.press(`press-${id}`, { ...KEPT, ...message, probe });
    return probe;
  };
  /** Sends a message, and is back when a person is asked about it. */
  const ask = async (id: string, message: Message) => {
    const number = custodian.requests.length + 1;
    const probe = await press(id, message);
    return { probe, request: await custodian.asked(number) };
  };
  const outcome = async (probe: string, nodeRed = harness.nodeRed): Promise<Message> => {
    const { value } = await nodeRed.shows(
      ({ name, value }) => /^(error|\w+:0)$/.test(name) && (value as Message).probe === probe,
    );
    return value as Message;
  };
  const filesIn = (...path: string[]): Promise<string[]> =>
    readdir(join(harness.userDir.path, ...path)).catch(() => []);
  /** Waits until the wait of a message is in a file. */
  const untilKept = async (probe: string) => {
    const isKept = async (name: string) => {
      const text = await readFile(join(harness.userDir.path, "crec-waits", "submit", name), "utf8").catch(
        () => "",
      );
      return text.includes(probe);
    };
    const anyKept = async () =>
      (await Promise.all((await filesIn("crec-waits", "submit")).map(isKept))).includes(true);
    await eventually("the wait of the message in a file", anyKept);
  };
  /** In Unix seconds. */
  const keptDeadlines = async (): Promise<number[]> => {
    const read = async (name: string) =>
      JSON.parse(await readFile(join(harness.userDir.path, "crec-waits", "submit", name), "utf8"));
    const records = await Promise.all((await filesIn("crec-waits", "submit")).map(read));
    return records.map(({ about }) => about.prepared.request.deadline);
  };
  /** A deadline is in whole seconds. */
  const untilAnotherDeadline = () => {
    const second = () => Math.floor(Date.now() / 1000);
    const asked = second();
    return eventually("the next second", second, (now) => now > asked);
  };
  const untilNothingIsKept = async () => {
    await eventually(
      "no file of a wait or of a signature",
      async () => [...(await filesIn("crec-waits", "submit")), ...(await filesIn("crec-signing"))],
      (files) => files.length === 0,
    );
  };

  it("is shown under the node, and warned of where it may take longer than the operation lasts", async () => {
    await deploy();
    const { probe, request } = await ask("submit", good);
    const shown = await harness.nodeRed.status("submit", APPROVE);
    should(shown).have.properties({ fill: "yellow", shape: "ring" });
    should(harness.nodeRed.log).match(/may take 30 minutes, but the operation expires after 15 minutes/);
    await custodian.approve(request);
    const { crec } = await outcome(probe);
    should(crec).match({ digest: request.digest, status: /^confirmed/, verification: { verified: true } });
    should(crec?.deadline).be.approximately(Date.now() / 1000 + 900, 60);
    await untilNothingIsKept();
  });

  for (const type of sized(["full", "nodes"] as const, ["full", "flows", "nodes"] as const)) {
    it(`is waited for again after the deploy type ${type}, for the same digest`, async () => {
      await deploy();
      const executed = await harness.executions();
      const { probe, request } = await ask("submit", good);
      const { count } = custodian;
      // What would be asked for now is another operation.
      const calls = [{ kind: "raw", to: value(RECEIVER), data: value("0x"), amount: value("1") }];
      await deploy({ name: type, calls, deadline: "60" }, type);
      await custodian.askedAgain(count + 1);
      await harness.nodeRed.status("submit", APPROVE);
      await custodian.approve(request);
      const { crec } = await outcome(probe);
      should(crec).match({ digest: request.digest, resumed: true, keep: "me", status: /^confirmed/ });
      should(custodian.requests.at(-1)).equal(request);
      should(await harness.executions()).equal(executed + 1);
      await untilNothingIsKept();
    });
  }

  it("is not asked for again where the node has another wallet", async () => {
    await deploy();
    const { probe } = await ask("submit", good);
    const { count } = custodian;
    const other = walletNode(harness.service.ready, { id: "custody", signer: "elsewhere", wallet: RECEIVER });
    await harness.deploy(flow(), [signer, other]);
    const caught = await outcome(probe);
    checkError(caught, "submit", "WAIT_DROPPED", /^The node has another wallet now/);
    should(custodian.count).equal(count);
    await untilNothingIsKept();
  });

  it("is asked for once, by messages with the same key", async () => {
    await deploy();
    const crec = { keep: "me", operationKey: `order ${freshId()}` };
    const { probe, request } = await ask("submit", { ...good, crec });
    const { count } = custodian;
    const second = await press("submit", { ...good, crec });
    const other = await harness.refuse("submit", { ...good, ...KEPT, payload: "2", crec });
    checkError(other, "submit", "OPERATION_KEY_REUSED", "is being signed under this key");
    await untilKept(second);
    await deploy();
    const third = await press("submit", { ...good, crec });
    await untilKept(third);
    await custodian.askedAgain(count + 1);
    await custodian.approve(request);
    should((await outcome(third)).crec).match({ digest: request.digest, status: /^confirmed/ });
    await untilNothingIsKept();
    // One of the first two continued in the third.
    const left = () => [probe, second].flatMap((one) => harness.seenAt("submit:0", one));
    // What Node-RED sent is seen here a moment later.
    await eventually("one of the first two", left, (seen) => seen.length > 0);
    should(left()).have.length(1);
    should(custodian.requests.at(-1)).equal(request);
    should(await harness.executions(crec.operationKey)).equal(1);
  });

  it("that is refused submits nothing, and a message with the same key asks anew", async () => {
    await deploy();
    const before = submits();
    const crec = { keep: "me", operationKey: `order ${freshId()}` };
    const { probe, request } = await ask("submit", { ...good, crec });
    custodian.refuse(request);
    const caught = await outcome(probe);
    checkError(caught, "submit", "SIGNER_REFUSED", /^A person refused the signature\./);
    const walletOperationId = harness.idOf(crec.operationKey);
    should(caught.crec).match({ walletOperationId, digest: request.digest, usedKey: crec.operationKey });
    should(caught.crec?.deadline).be.a.Number();
    should(await harness.nodeRed.status("submit", /^A person refused the signature/)).have.property(
      "fill",
      "red",
    );
    should(submits()).equal(before);
    await untilNothingIsKept();
    await untilAnotherDeadline();
    const again = await ask("submit", { ...good, crec });
    should(again.request.digest).not.equal(request.digest);
    custodian.refuse(again.request);
    await outcome(again.probe);
  });

  it("after the deadline is not used, and not asked for again", async () => {
    await deploy({ deadline: "0.1" });
    const before = submits();
    const { probe, request } = await ask("submit", good);
    const kept = await ask("submit", { ...good, payload: "2" });
    await deploy({ d: true });
    await untilKept(probe);
    await untilKept(kept.probe);
    const { count } = custodian;
    const deadline = Math.max(...(await keptDeadlines()));
    await eventually(
      "the deadline",
      () => Date.now(),
      (now) => now > deadline * 1000,
    );
    await custodian.approve(request);
    await custodian.approve(kept.request);
    await deploy();
    for (const one of [probe, kept.probe]) {
      const caught = await outcome(one);
      checkError(
        caught,
        "submit",
        "SIGNER_TIMEOUT",
        /^No signature before the operation's deadline\. Nothing/,
      );
      should(caught.crec).have.properties(["walletOperationId", "deadline", "digest"]);
    }
    should(custodian.count).equal(count);
    should(submits()).equal(before);
  });

  it("is not lost where the service is down when it comes", async () => {
    await deploy();
    const { probe, request } = await ask("submit", good);
    const { count } = custodian;
    harness.proxy.harm = (passing) => (isSubmit(passing) ? down : undefined);
    await custodian.approve(request);
    await harness.nodeRed.status("submit", isTroubled);
    harness.proxy.harm = () => undefined;
    should((await outcome(probe)).crec).match({ digest: request.digest, status: /^confirmed/ });
    should(custodian.count).equal(count);
  });

  it("of the largest operation is kept whole", async () => {
    const to = String(harness.service.ready.contracts.DemoToken);
    const data = `0x${"ab".repeat(CALL_BYTES)}`;
    const payload = Array.from({ length: 16 }, () => ({ to, value: "0", data }));
    const source = { source: "message" };
    await deploy(source);
    // Too long to press: the message makes it.
    const number = custodian.requests.length + 1;
    const probe = freshId();
    const made = `msg.payload = Array.from({ length: 16 }, () => ({ to: "${to}", value: "0", data: "0x" + "ab".repeat(${CALL_BYTES}) })); return msg;`;
    should(payload).have.length(16);
    await harness.deploy(
      [
        ...flow(source),
        [{ id: "large", type: "function", func: made, outputs: 1, libs: [], wires: [["submit"]] }, 1],
      ],
      config(),
    );
    await harness.nodeRed.press("press-large", { ...KEPT, probe });
    const request = await custodian.asked(number);
    const { count } = custodian;
    await deploy(source);
    await custodian.askedAgain(count + 1);
    should(custodian.requests.at(-1)).equal(request);
    custodian.refuse(request);
    const caught = await outcome(probe);
    checkError(caught, "submit", "SIGNER_REFUSED");
    should(caught.crec).match({ digest: request.digest, cut: ["payload"] });
  });

  it("is not waited for again where the form says so", async () => {
    await deploy({ resume: false });
    const { probe, request } = await ask("submit", good);
    should(await filesIn("crec-waits", "submit")).be.empty();
    await deploy({ resume: false });
    should(harness.nodeRed.log).match(/The wait is not resumed\. Waiting for: \d+/);
    await custodian.approve(request);
    const { count } = custodian;
    await deploy();
    should(custodian.count).equal(count);
    should(harness.seenAt("submit:0", probe)).be.empty();
  });

  it("of a draft is waited for again, for the digest of the draft", async () => {
    await deploy({ mode: "draft" });
    const executed = await harness.executions();
    const draft = await harness.ask("submit", { ...KEPT, ...good });
    const { probe, request } = await ask("finalize", { crec: { ...draft.crec } });
    should(request.digest).equal(draft.crec?.digest);
    await harness.nodeRed.status("finalize", APPROVE);
    await deploy();
    await harness.nodeRed.status("finalize", APPROVE);
    await custodian.approve(request);
    const { crec } = await outcome(probe);
    should(crec).match({ digest: request.digest, resumed: true, status: /^(accepted|sen|broad|confirmed)/ });
    should(custodian.requests.at(-1)).equal(request);
    // It is signed now, so nobody is asked.
    const { count } = custodian;
    const late = await harness.refuse("finalize", { ...KEPT, crec: { keep: "me", ...draft.crec } });
    checkError(late, "finalize", "OPERATION_NOT_FINALIZABLE");
    should(custodian.count).equal(count);
    await eventually(
      "one more execution",
      () => harness.executions(),
      (count) => count !== executed,
    );
  });

  it("is for one digest on all copies of the flow that share their state", async function () {
    if (!hasRedis()) return this.skip();
    const [server, userDir] = await Promise.all([RedisServer.start(), UserDir.make()]);
    const other = await NodeRed.start(userDir, {}, { settings });
    try {
      const fleet = { id: "fleet", type: "crec-fleet", credentials: { url: server.url } };
      const nodes = harnessFlow([...harness.config(), ...config(), fleet], flow({ fleet: "fleet" }));
      await Promise.all([harness.nodeRed.deploy(nodes), other.deploy(nodes)]);
      const crec = { keep: "me", operationKey: `order ${freshId()}` };
      const { probe, request } = await ask("submit", { ...good, crec });
      const { count } = custodian;
      await untilAnotherDeadline();
      const second = await press("submit", { ...good, crec }, other);
      await custodian.askedAgain(count + 1);
      await custodian.approve(request);
      const left = [await outcome(probe), await outcome(second, other)];
      for (const msg of left) should(msg.crec).match({ digest: request.digest, status: /^confirmed/ });
      should(custodian.requests.at(-1)).equal(request);
      should(await harness.executions(crec.operationKey)).equal(1);
    } finally {
      await other.kill();
      await Promise.all([server.remove(), userDir.remove()]);
    }
  });

  it("is waited for again after Node-RED was stopped or killed, and not once it was submitted", async () => {
    await deploy();
    const executed = await harness.executions();
    const { probe, request } = await ask("submit", good);
    const again = () => NodeRed.start(harness.userDir, {}, { settings });
    const { count } = custodian;
    await harness.nodeRed.kill();
    // As where the network comes up after Node-RED.
    harness.proxy.harm = () => down;
    let nodeRed = await again();
    try {
      await nodeRed.status("submit", isTroubled);
      harness.proxy.harm = () => undefined;
      await custodian.askedAgain(count + 1);
      await nodeRed.stop();
      nodeRed = await again();
      await custodian.askedAgain(count + 2);
      // It is submitted, and Node-RED ends before it gets the answer.
      const killed = Promise.withResolvers<void>();
      const kill = (): never => {
        nodeRed.kill().then(killed.resolve, killed.reject);
        throw new Error("The answer is lost.");
      };
      harness.proxy.harm = (passing) => (isSubmit(passing) ? { kind: "change", change: kill } : undefined);
      await custodian.approve(request);
      await killed.promise;
      harness.proxy.harm = () => undefined;
      const asked = custodian.count;
      const waiting = (await filesIn("crec-waits", "submit")).filter((name) => name.endsWith(".json"));
      should(waiting).have.length(1);
      const record = await readFile(
        join(harness.userDir.path, "crec-waits", "submit", waiting[0] ?? ""),
        "utf8",
      );
      should(JSON.parse(record).about.prepared).have.property("digest", request.digest);
      nodeRed = await again();
      const { crec } = await outcome(probe, nodeRed);
      should(crec).match({ digest: request.digest, resumed: true, status: /^confirmed/ });
      should(custodian.count).equal(asked);
      should(custodian.requests.at(-1)).equal(request);
      should(await harness.executions()).equal(executed + 1);
    } finally {
      await nodeRed.kill();
    }
  });
});
