import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import type { Decided } from "../../nodes/common/approvals/types.ts";
import type { Problem } from "../../nodes/common/shared/form-types.ts";
import { CrecClient } from "../../src/index.ts";
import { borrowNodeRed, ownNodeRed } from "../support/borrowed-node-red.ts";
import { eventually } from "../support/eventually.ts";
import type { Message } from "../support/flow-harness.ts";
import { type FlowNode, freshId } from "../support/node-red.ts";
import { KEPT, OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { operationNode, signerNode, submitNode, walletNode } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";

const guarded = fileURLToPath(new URL("admin-auth-settings.cjs", import.meta.url));
const GOOD = { ...KEPT, to: RECEIVER, payload: "5000000000000000000" };

type Told = { status: number; body: Partial<Decided & Problem> };
type Approval = { decision: string; by?: string; at: number; approvals: Array<{ by?: string }> };

/** Drafts that people approve in the sidebar, which has these endpoints. */
describe("a draft that people approve in the sidebar", function () {
  this.timeout(90_000);

  let harness: OperationHarness;
  let client: CrecClient;

  before(async () => {
    harness = await OperationHarness.start({}, { settings: guarded, token: "admin" });
    client = new CrecClient({
      baseUrl: harness.service.ready.base_url,
      apiKey: harness.service.ready.api_key,
    });
  });

  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });

  after(async () => {
    await client?.close();
    await harness?.close();
  });

  const node = (more: Partial<FlowNode> = {}) =>
    submitNode({
      ...{ mode: "draft", approve: true, approvalSigner: "approver", approvals: "1", wallet: "purse" },
      ...more,
    });
  const deploy = (nodes: ReadonlyArray<[FlowNode, number]>, signers = [approver()]) =>
    harness.deploy(nodes, [walletNode(harness.service.ready, { id: "purse", signer: "" }), ...signers]);
  const approver = () => signerNode(harness.key, { id: "approver" });
  /** Sends a message, and gives what the second output says of its draft. */
  const drafted = async (id = "submit", message: Message = {}) => {
    const probe = freshId();
    await harness.nodeRed.press(`press-${id}`, { ...GOOD, ...message, probe });
    const [told] = await harness.toldAt(`${id}:1`, probe, "pending_signature");
    const { channelId, operationId, digest } = (told?.crec ?? {}) as Record<string, string>;
    return {
      ...{ probe, told, channelId: String(channelId), operationId: String(operationId) },
      ...{ digest: String(digest), key: `${channelId}/${operationId}` },
    };
  };
  type Draft = Awaited<ReturnType<typeof drafted>>;
  const decide = async (who: string, { key, digest }: Draft, isApproved = true): Promise<Told> => {
    const response = await harness.nodeRed.fetch("crec/operation/decide", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${who}`,
        "accept-language": "en",
      },
      body: JSON.stringify({ key, digest, isApproved }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : {} };
  };
  const statusOf = async ({ channelId, operationId }: Draft) =>
    (await client.operations.get(channelId, operationId)).status;
  const refuses = async (who: string, draft: Draft, says: RegExp, isApproved = true) => {
    const { body } = await decide(who, draft, isApproved);
    should(body.problem).match(says);
    should(body.code).equal("APPROVAL_REFUSED");
  };
  const outcome = async ({ probe }: Draft): Promise<Message> => {
    const { value } = await harness.nodeRed.shows(
      ({ name, value }) => /^(error|\w+:0)$/.test(name) && (value as Message).probe === probe,
    );
    return value as Message;
  };
  const decision = async ({ probe }: Draft): Promise<Message> => {
    const { value } = await harness.nodeRed.shows(
      ({ name, value }) =>
        name.endsWith(":1") &&
        (value as Message).probe === probe &&
        String((value as Message).topic).startsWith("operation.approval/"),
    );
    return value as Message;
  };
  const untilNoFile = () =>
    eventually(
      "no file of a wait",
      () => readdir(join(harness.userDir.path, "crec-waits", "submit")).catch(() => []),
      (names) => names.length === 0,
    );

  it("waits in yellow over a restart, and is executed once when two people have approved it", async () => {
    const two: Array<[FlowNode, number]> = [[node({ approvals: "2" }), 2]];
    await deploy(two);
    const draft = await drafted();
    should(draft.told?.crec?.preview).match([{ tokens: { value: "5" } }]);
    should(await harness.nodeRed.status("submit", "waits for approval")).have.properties({ fill: "yellow" });

    should((await decide("keeper", draft)).body).deepEqual({ outcome: "waits", left: 1 });
    await refuses("keeper", draft, /^Not decided: you have approved it before\. Another person/);
    should(await statusOf(draft)).equal("pending_signature");
    await harness.restart();
    await harness.nodeRed.status("submit", "waits for approval");
    const answers = await Promise.all([decide("admin", draft), decide("admin", draft)]);
    should(answers.map(({ body }) => body.outcome).filter(Boolean)).deepEqual(["approved"]);

    const { payload, crec } = await decision(draft);
    should(crec?.approval).deepEqual(payload);
    const { at, ...approval } = payload as Approval;
    should(approval).match({
      ...{ decision: "approved", by: "admin" },
      approvals: [{ by: "keeper" }, { by: "admin" }],
    });
    should(Date.now() - at).be.within(0, 60_000);
    const msg = await outcome(draft);
    should(msg.error).be.undefined();
    should(msg).match({
      kept: "as it was",
      crec: { keep: "me", status: /^confirmed/, approval: { by: "admin" } },
    });
    should(msg.crec?.verification).have.property("verified", true);
    should(await harness.executions()).equal(1);
    await untilNoFile();
    await refuses("keeper", draft, /does not wait here any more/);
  });

  it("is not decided about another digest, without the permission, or after it was decided", async () => {
    await deploy([[node(), 2]]);
    const draft = await drafted();
    await refuses("admin", { ...draft, digest: `0x${"1".repeat(64)}` }, /not the one that you were shown/);
    should((await decide("reader", draft)).status).equal(401);
    should((await decide("looker", draft)).status).equal(401);
    should((await decide("nobody", draft)).status).equal(401);
    should(await statusOf(draft)).equal("pending_signature");
    should((await decide("keeper", draft, false)).body.outcome).equal("declined");
    const { payload, topic } = await decision(draft);
    should(payload).match({ decision: "declined", by: "keeper" });
    should(topic).equal("operation.approval/declined");
    should(await statusOf(draft)).equal("cancelled");
    await refuses("admin", draft, /does not wait here any more/);
    await untilNoFile();
  });

  it("is not signed where the service shows other calls than were approved, or other code behind them", async () => {
    await deploy([[node(), 2]]);
    const draft = await drafted();
    const change = (body: string) => body.replaceAll(RECEIVER.slice(2).toLowerCase(), "0".repeat(40));
    harness.proxy.harm = ({ method, path }) =>
      method === "GET" && path.endsWith(`/operations/${draft.operationId}`)
        ? { kind: "change", change }
        : undefined;
    should((await decide("admin", draft)).body.code).equal("DIGEST_MISMATCH");
    const upgrade = (body: string) => {
      const shown = JSON.parse(body) as { transactions: object[] };
      return JSON.stringify({
        ...shown,
        transactions: shown.transactions.map((call) => ({ ...call, upgraded_to: RECEIVER })),
      });
    };
    harness.proxy.harm = ({ method, path }) =>
      method === "GET" && path.endsWith(`/operations/${draft.operationId}`)
        ? { kind: "change", change: upgrade }
        : undefined;
    await refuses("admin", draft, /runs other code than was shown/);
    harness.proxy.harm = () => undefined;
    should(await statusOf(draft)).equal("pending_signature");
    should((await decide("admin", draft, false)).body.outcome).equal("declined");
  });

  it("can be approved again when the service could not be reached", async () => {
    await deploy([[node(), 2]]);
    const draft = await drafted();
    const isOfDraft = ({ path }: Passing) => path.endsWith(`/operations/${draft.operationId}`);
    harness.proxy.harm = (passing) =>
      isOfDraft(passing) ? { kind: "answer", status: 503, body: "" } : undefined;
    const { body } = await decide("admin", draft);
    should(body.problem ?? JSON.stringify(body)).match(/503/);
    harness.proxy.harm = () => undefined;
    should(await statusOf(draft)).equal("pending_signature");
    should((await decide("admin", draft)).body.outcome).equal("approved");
    should((await outcome(draft)).error).be.undefined();
    should(((await decision(draft)).payload as Approval).by).equal("admin");
  });

  it("needs the approvals that are deployed by then, and is not signed without its signer or node", async () => {
    await deploy([[node(), 2]]);
    const draft = await drafted();
    await deploy([[node({ approvals: "2" }), 2]], []);
    await harness.nodeRed.status("submit", "waits for approval");
    should((await decide("keeper", draft)).body).deepEqual({ outcome: "waits", left: 1 });
    const { body } = await decide("admin", draft);
    should(body).match({ code: "CONFIG_NODE_DELETED", problem: /signer is not in the flows any more/ });
    await deploy([]);
    await refuses("admin", draft, /its node was deleted or disabled/);
    should(await statusOf(draft)).equal("pending_signature");
  });

  it("is followed as well when the node operation approves it, or cancels the newest draft", async () => {
    await deploy([
      [node(), 2],
      [operationNode("finalize", { signer: "approver" }), 1],
      [operationNode("cancel", { draftOf: "submit" }), 1],
      [operationNode("get", { draftOf: "cancel" }), 1],
    ]);
    const approved = await drafted();
    await harness.ask("finalize", { crec: { ...approved.told?.crec, channelId: approved.channelId } });
    const cancelled = await drafted();
    should((await harness.ask("cancel", {})).payload).match({ operation_id: cancelled.operationId });
    should((await harness.refuse("get", {})).error).match({
      code: "MISSING_VALUE",
      message: /^No draft is known/,
    });
    should(await outcome(approved)).match({ crec: { status: /^confirmed/ } });
    should((await outcome(cancelled)).error).match({ code: "OPERATION_CANCELLED" });
    await refuses("admin", cancelled, /does not wait here any more/);
    await untilNoFile();
  });

  it("expires at its deadline, which nobody can approve after", async () => {
    await deploy([[node({ deadline: "0.05" }), 2]]);
    const draft = await drafted();
    const { error } = await outcome(draft);
    should(error).match({ code: "OPERATION_EXPIRED" });
    await refuses("admin", draft, /does not wait here any more/);
    await untilNoFile();
  });
});

describe("the decisions of the sidebar where Node-RED has no login", function () {
  this.timeout(90_000);

  for (const [what, define, says] of [
    [
      "are off",
      undefined,
      /^Not decided: without a login to the editor, anyone .* crec\.approveWithoutLogin/,
    ],
    ["are on where settings.js allows it", "crec.approveWithoutLogin=true", /it does not wait here any more/],
  ] as const) {
    it(what, async () => {
      const { nodeRed, giveBack } = define
        ? await ownNodeRed({}, { define: [define] })
        : await borrowNodeRed();
      try {
        const response = await nodeRed.fetch("crec/operation/decide", {
          method: "POST",
          headers: { "content-type": "application/json", "accept-language": "en" },
          body: JSON.stringify({ key: "a/b", digest: "0x1", isApproved: true }),
        });
        const { problem, code } = (await response.json()) as Problem;
        should(code).equal("APPROVAL_REFUSED");
        should(problem).match(says);
      } finally {
        await giveBack();
      }
    });
  }
});
