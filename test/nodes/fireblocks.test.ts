import should from "should";
import { FireblocksServer, type FireblocksTransaction } from "../support/fireblocks.ts";
import type { Message } from "../support/flow-harness.ts";
import { freshId } from "../support/node-red.ts";
import { manageNode } from "../support/nodes.ts";
import { checkError, KEPT, NOBODY, OperationHarness } from "../support/operation-harness.ts";
import { submitNode, value, walletNode } from "../support/operation-nodes.ts";

/** submit operation with a key in Fireblocks, from the message to the chain. */
describe("submit operation with a key in Fireblocks", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let server: FireblocksServer;

  before(async () => {
    server = await FireblocksServer.start({ isApprovedByPeople: true });
    harness = await OperationHarness.start();
    const { url, source, apiKey, privateKey } = server;
    const signer = {
      ...{ id: "with-fireblocks", type: "crec-signer", kind: "fireblocks", address: "" },
      ...{ fireblocksUrl: url, ...source },
      credentials: { fireblocksApiKey: apiKey, fireblocksKey: privateKey.replaceAll("\n", "") },
    };
    const of = { id: "custody", signer: "with-fireblocks", wallet: "fireblocks-wallet", owner: NOBODY };
    const calls = [{ kind: "raw", to: value(NOBODY), data: value("0x") }];
    await harness.deploy(
      [
        [manageNode("wallets.create-or-find", { id: "make", wallet: "custody" }), 1],
        [submitNode({ wallet: "custody", calls, onceFor: "key" }), 2],
      ],
      [signer, walletNode(harness.service.ready, of)],
    );
    const { crec } = await harness.ask("make", {});
    harness.wallet = String(crec?.walletAddress);
  });
  afterEach(() => {
    server.form = {};
    server.faults.length = 0;
  });
  after(async () => {
    await harness?.close();
    await server?.close();
  });

  const keyed = (operationKey: string): Message => ({ ...KEPT, crec: { keep: "me", operationKey } });
  const posts = () =>
    harness.proxy.passed.filter(({ method, path }) => method === "POST" && path.endsWith("/operations"));
  /** Decides on the next request. */
  const decide = async (decision: (transaction: FireblocksTransaction) => void) =>
    decision(await server.waiting());
  const approve = () => decide((transaction) => server.approve(transaction));
  /** It is signed after all, and executed once. */
  const checkAgain = async (key: string) => {
    const asked = server.transactions.length;
    const [{ crec }] = await Promise.all([harness.ask("submit", keyed(key)), approve()]);
    should(crec).match({ found: false, status: "confirmed_latest", verification: { verified: true } });
    should(server.transactions).have.length(asked + 1);
    should(await harness.executions(key)).equal(1);
  };

  it("waits for people, also through 429, 5xx and a cut, and asks them once", async () => {
    const key = freshId();
    const asked = server.transactions.length;
    const done = harness.ask("submit", keyed(key));
    const transaction = await server.waiting();
    const shown = await harness.nodeRed.status("submit", /PENDING_AUTHORIZATION/);
    should(shown).match({ fill: "yellow", text: /^Fireblocks: a person must approve/ });
    const soon = { headers: { "retry-after": "0" }, body: { message: "later" } };
    const before = server.asked.length;
    server.faults.push({ status: 429, ...soon }, { status: 503, ...soon }, { status: 500, ...soon });
    server.faults.push("cut before");
    await server.receiving(before + 5);
    server.approve(transaction);
    should((await done).crec).match({ status: "confirmed_latest", verification: { verified: true } });
    should(server.transactions).have.length(asked + 1);
    should(await harness.executions(key)).equal(1);
  });

  for (const [status, subStatus, code, says] of [
    ["BLOCKED", "BLOCKED_BY_POLICY", "SIGNER_REFUSED", /^A policy forbids this signature\. /],
    ["REJECTED", "REJECTED_BY_USER", "SIGNER_REFUSED", /^A person or a screening refused to sign\. /],
    ["CANCELLED", "CANCELLED_BY_USER", "SIGNER_REFUSED", /^Somebody cancelled the request to sign\. /],
    ["TIMEOUT", "", "SIGNER_TIMEOUT", /^Nobody approved or signed in the time that Fireblocks allows\. /],
    ["FAILED", "SIGNING_ERROR", "SIGNER_UNAVAILABLE", /^The request to sign failed/],
  ] as const) {
    it(`submits nothing after ${status}, says why, and asks anew for the next message`, async () => {
      const key = freshId();
      const before = posts().length;
      const refused = harness.refuse("submit", keyed(key));
      await decide((transaction) => server.end(transaction, status, subStatus));
      const caught = await refused;
      checkError(caught, "submit", code, says);
      should(caught.error?.message).match(/Nothing was submitted\. To ask again, repeat the operation\./);
      should(posts()).have.length(before);
      await checkAgain(key);
    });
  }

  it("submits nothing that another key has signed", async () => {
    const key = freshId();
    const before = posts().length;
    server.form = { isWrongKey: true };
    const [caught] = await Promise.all([harness.refuse("submit", keyed(key)), approve()]);
    checkError(caught, "submit", "SIGNATURE_MISMATCH", /Nothing was submitted/);
    should(posts()).have.length(before);
    should(await harness.executions(key)).equal(0);
  });
});
