import should from "should";
import { CrecClient, encodeFunctionCall, localEcdsaSigner, parseAbi } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { executeOnChain } from "../support/execute-on-chain.ts";
import { ask, harnessFlow, type Message } from "../support/flow-harness.ts";
import { freshId, NodeRed, UserDir } from "../support/node-red.ts";
import {
  COMPANY,
  checkCompany,
  checkError,
  isRed,
  KEPT,
  OperationHarness,
  RECEIVER,
} from "../support/operation-harness.ts";
import { operationNode, submitNode, TOKEN_ABI } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";
import { itWide } from "../support/wide.ts";

const CREC = [
  "channelId",
  "digest",
  "found",
  "operationId",
  "operationKey",
  "status",
  "usedKey",
  "verification",
  "walletOperationId",
];

const isSubmit = ({ method, path }: Passing) => method === "POST" && path.endsWith("/operations");
const isSearch = ({ path }: Passing) => path.endsWith("/events/search");

/** `msg.crec.operationKey`: a message that may come twice, and acts once. */
describe("a message with an operation key", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let client: CrecClient;

  before(async () => {
    harness = await OperationHarness.start();
    const { base_url, api_key } = harness.service.ready;
    client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
    await harness.deploy([
      [submitNode(), 2],
      [submitNode({ id: "draft", mode: "draft" }), 2],
      [submitNode({ id: "hasty", timeout: "10" }), 2],
      [operationNode("cancel"), 1],
      [operationNode("finalize"), 1],
    ]);
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await client?.close();
    await harness?.close();
  });

  const message = (operationKey: unknown, more: Partial<Message> = {}): Message => ({
    ...{ to: RECEIVER, payload: "3", crec: { keep: "me", operationKey } },
    ...more,
  });
  const idOf = (key: string) => harness.idOf(key);
  const executions = (key: string) => harness.executions(key);

  it("that arrives twice executes once, and the second says that it was found", async () => {
    const key = freshId();
    const first = await harness.ask("submit", { ...COMPANY, ...message(key) });
    checkCompany(first, CREC);
    should(first.crec).have.properties({
      found: false,
      operationKey: key,
      usedKey: key,
      walletOperationId: idOf(key),
    });
    const second = await harness.ask("submit", { ...COMPANY, ...message(key) });
    checkCompany(second, CREC);
    const { operationId, digest } = first.crec ?? {};
    should(second.crec).have.properties({ found: true, operationId, digest });
    should(second.payload).have.property("operation_id", operationId);
    should((second.payload as Record<string, unknown>).transactionHash).be.a.String();
    const changes = await harness.toldAt("submit:1", second.probe, "confirmed");
    should(changes[0]?.crec).have.properties({ found: true, operationId });
    should(await executions(key)).equal(1);
  });

  itWide("that is a number is the same as its digits", async () => {
    const number = Math.floor(Math.random() * 1e15);
    await harness.ask("submit", message(number));
    should((await harness.ask("submit", message(String(number)))).crec).have.property("found", true);
    should(await executions(String(number))).equal(1);
  });

  it("that arrives five times at the same time executes once", async () => {
    const key = freshId();
    const all = await Promise.all(Array.from({ length: 5 }, () => harness.ask("submit", message(key))));
    should(new Set(all.map(({ crec }) => crec?.operationId)).size).equal(1);
    should(new Set(all.map(({ crec }) => crec?.digest)).size).equal(1);
    should(all.filter(({ crec }) => crec?.found === false).length).be.belowOrEqual(1);
    should(await executions(key)).equal(1);
  });

  it("executes once although each answer to a submit is lost", async () => {
    const key = freshId();
    harness.proxy.harm = (passing) =>
      isSubmit(passing) ? { kind: "change", change: () => "<html>Please log in</html>" } : undefined;
    const [first, second] = [
      await harness.ask("submit", message(key)),
      await harness.ask("submit", message(key)),
    ];
    should(first.crec?.operationId).equal(second.crec?.operationId);
    should(await executions(key)).equal(1);
  });

  itWide("can be sent again after it failed, and is executed then", async () => {
    const key = freshId();
    const { DemoToken } = harness.service.ready.contracts;
    const balance = await fetch(harness.service.ready.rpc_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "eth_call" },
        params: [{ to: DemoToken, data: `0x70a08231${harness.wallet.slice(2).padStart(64, "0")}` }, "latest"],
      }),
    });
    const needed = BigInt(((await balance.json()) as { result: string }).result) + 5n;
    const asked = message(key, { payload: String(needed) });
    const failed = await harness.refuse("submit", { ...KEPT, ...asked });
    checkError(failed, "submit", "OPERATION_FAILED", "InsufficientBalance");
    should(failed.error?.message).match(/then send it again under the same key\./);
    should(await executions(key)).equal(0);
    const faucet = await fetch(`${harness.service.ready.base_url}/local/faucet`, {
      method: "POST",
      headers: {
        authorization: `Apikey ${harness.service.ready.api_key}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ to: harness.wallet, amount: "1000" }),
    });
    should(faucet.status).equal(200);
    const { crec } = await harness.ask("submit", asked);
    should(crec).have.property("found", false);
    should(crec?.operationId).not.equal(failed.crec?.operationId);
    should(await executions(key)).equal(1);
  });

  itWide("with other calls is OPERATION_KEY_REUSED, and a new key executes", async () => {
    const key = freshId();
    await harness.ask("submit", message(key));
    const caught = await harness.refuse("submit", { ...KEPT, ...message(key, { payload: "4" }) });
    const differs =
      /call 1: value is 0\.0{17}4 tokens, was 0\.0{17}3 tokens\. They were not executed; the status of the first operation is: (?:accepted|sending|sent|waits for a block|included|safe|final)/;
    checkError(caught, "submit", "OPERATION_KEY_REUSED", differs);
    should(caught.error?.message).containEql(`Key "${key}", operation `);
    await harness.ask("submit", message(`${key}-2`, { payload: "4" }));
    should([await executions(key), await executions(`${key}-2`)]).deepEqual([1, 1]);
  });

  itWide("that is empty, or not text, is an error: without a key it would execute each time", async () => {
    const from = harness.proxy.passed.length;
    for (const key of ["", "  ", null, { order: 7 }, true]) {
      const caught = await harness.refuse("submit", { ...KEPT, ...message(key) });
      checkError(caught, "submit", "INVALID_FIELD", "msg.crec.operationKey");
    }
    // Two order numbers may have been rounded to this one.
    for (const key of [2 ** 53, 1e30, 1.5]) {
      const caught = await harness.refuse("submit", { ...KEPT, ...message(key) });
      checkError(caught, "submit", "INVALID_FIELD", /operationKey is the number .* Give it as text\.$/);
    }
    should(harness.proxy.passed.slice(from).filter(isSubmit)).be.empty();
  });

  itWide("creates one draft, which is found again, and a new one after that was cancelled", async () => {
    const key = freshId();
    const first = await harness.ask("draft", message(key));
    const second = await harness.ask("draft", message(key));
    const { operationId, digest, preview } = first.crec ?? {};
    should(second.crec).have.properties({ found: true, operationId, digest, preview });
    should(second.crec).have.property("status", "pending_signature");
    await harness.ask("cancel", first);
    const third = await harness.ask("draft", message(key));
    should(third.crec).have.property("found", false);
    should(third.crec?.operationId).not.equal(operationId);
    await harness.ask("finalize", third);
    // Sent under the same key, it is that draft whose end is waited for.
    const sent = await harness.ask("submit", message(key));
    should(sent.crec).have.properties({ found: true, operationId: third.crec?.operationId });
    should(await executions(key)).equal(1);
  });

  itWide("is an error immediately when its draft waits for approval", async () => {
    const key = freshId();
    const draft = await harness.ask("draft", message(key));
    const asked = performance.now();
    const caught = await harness.refuse("submit", { ...KEPT, ...message(key) });
    // It waits for an operation up to 20 s.
    should(performance.now() - asked).be.below(15_000);
    checkError(caught, "submit", "OPERATION_AWAITS_APPROVAL", String(draft.crec?.operationId));
    const { operationId, digest } = draft.crec ?? {};
    should(caught.crec).have.properties({ operationId, digest, found: true });
    should(await executions(key)).equal(0);
    // Catch has what it takes to decide.
    await harness.ask("cancel", { crec: { operationId: caught.crec?.operationId } });
    should((await harness.ask("submit", message(key))).crec).have.property("found", false);
    should(await executions(key)).equal(1);
  });

  itWide("whose execution the channel does not show yet is never reported as not executed", async () => {
    const key = freshId();
    const { chain_selector, contracts } = harness.service.ready;
    const args = { to: RECEIVER, value: "3" };
    const { data } = encodeFunctionCall({ abi: parseAbi(TOKEN_ABI), function: "transfer", args });
    const executed = {
      ...{ chain_selector, address: harness.wallet, wallet_operation_id: idOf(key), deadline: 0 },
      transactions: [{ to: contracts.DemoToken ?? "", value: "0", data }],
    };
    const signer = localEcdsaSigner(harness.key);
    await executeOnChain(harness.service.ready, signer, executed);
    const caught = await harness.refuse("hasty", { ...KEPT, ...message(key) });
    checkError(caught, "hasty", "OPERATION_EXECUTED_NOT_FOUND", idOf(key));
    should(caught.error?.message).not.match(/not executed/);
    const { text } = await harness.nodeRed.status("hasty", isRed);
    should(text).equal("Already executed, not found yet");

    // The same again, and this time the service learns of it meanwhile.
    const channelId = String(caught.crec?.channelId);
    const again = harness.ask("submit", message(key));
    const refused = async () => {
      const mine = [];
      for await (const one of client.operations.list(channelId, { status: ["failed"] })) {
        if (one.wallet_operation_id === idOf(key)) mine.push(one);
      }
      return mine.length;
    };
    await eventually("two refused operations", refused, (count) => count >= 2);
    const { operation } = await client.operations.send(channelId, executed, signer);
    const found = await again;
    should(found.crec).have.properties({ found: true, operationId: operation.operation_id });
    should(found.payload).have.property("operation_id", operation.operation_id);
    const told = harness.seenAt("submit:1", found.probe).map(({ crec }) => crec?.status);
    should(told).containEql("confirmed_latest").and.not.containEql("failed");
    should(await executions(key)).equal(1);
  });

  describe("when Node-RED is killed", () => {
    let userDir: UserDir;
    let nodeRed: NodeRed | undefined;
    /** With the flows of before, where there are some. */
    const launch = async () => {
      const started = await NodeRed.start(userDir, {}, { define: ["logging.console.level=info"] });
      nodeRed = started;
      await eventually(
        "started flows",
        () => started.log,
        (log) => log.includes("Started flows"),
      );
      return started;
    };

    before(async () => {
      userDir = await UserDir.make();
      nodeRed = await NodeRed.start(userDir);
      await nodeRed.deploy(harnessFlow(harness.config(), [[submitNode(), 2]]));
    });
    after(async () => {
      await nodeRed?.kill();
      await userDir?.remove();
    });

    const moments: Array<[string, (passing: Passing) => boolean, boolean]> = [
      ["while it looks whether it is there", isSearch, false],
      ["while it is handed in", isSubmit, false],
      ["while its statuses are waited for", ({ query }) => query.includes("&limit=200"), true],
    ];
    for (const [when, isMoment, isTaken] of moments) {
      itWide(`${when}, executes once when it arrives again`, async () => {
        const key = freshId();
        const moment = harness.proxy.next(1, isMoment);
        await nodeRed?.press("press-submit", message(key));
        await moment;
        await nodeRed?.kill();
        const { crec } = await ask(await launch(), "submit", message(key));
        if (isTaken) should(crec).have.property("found", true);
        should(await executions(key)).equal(1);
        const channelId = String(crec?.channelId);
        const made = [];
        for await (const { wallet_operation_id } of client.operations.list(channelId)) {
          if (wallet_operation_id === idOf(key)) made.push(wallet_operation_id);
        }
        should(made).have.length(1);
      });
    }
  });

  it("leaves Node-RED running", () => harness.checkRunsWell());
});
