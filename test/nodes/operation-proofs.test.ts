import should from "should";
import { CrecClient, type EventEnvelope } from "../../src/index.ts";
import type { Message } from "../support/flow-harness.ts";
import { channelNode, connectionNode } from "../support/nodes.ts";
import { OperationHarness, RECEIVER } from "../support/operation-harness.ts";
import { call, operationNode, submitNode, value, walletNode } from "../support/operation-nodes.ts";
import type { Passing } from "../support/proxy.ts";
import { itWide } from "../support/wide.ts";

const isSearch = ({ path }: Passing): boolean => path.endsWith("/events/search");
const isOperation = ({ method, path }: Passing): boolean =>
  method === "GET" && /\/operations\/[^/]+$/.test(path);

/** A relay between Node-RED and the service can change every word that is not signed. */
describe("the proof of an operation's status", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  let client: CrecClient;
  const good = { to: RECEIVER, payload: "1" };
  const failing = {
    calls: [call("counter", "failWithReason(string)", value("no"))],
    timeout: "4",
  };

  before(async () => {
    harness = await OperationHarness.start();
    const { base_url, api_key, org_id } = harness.service.ready;
    client = new CrecClient({ baseUrl: base_url, apiKey: api_key });
    // Not each connection of the flow makes it.
    await client.channels.create({ name: "harness" });
    const bare = { baseUrl: harness.proxy.baseUrl, orgId: "", workflowOwner: "" };
    const half = { baseUrl: harness.proxy.baseUrl, validSigners: "" };
    const broken = { baseUrl: harness.proxy.baseUrl, orgId: org_id, minRequiredSignatures: "99" };
    await harness.deploy(
      [
        [submitNode(), 2],
        [submitNode({ id: "fails", ...failing }), 2],
        [submitNode({ id: "fails-soon", ...failing, waitFor: "accepted" }), 2],
        [submitNode({ id: "final", waitFor: "confirmed", timeout: "60" }), 2],
        [operationNode("wait", { timeout: "3" }), 1],
        [submitNode({ id: "bare-submit", channel: "bare-channel", wallet: "bare-wallet" }), 2],
        [operationNode("wait", { id: "bare-wait", channel: "bare-channel" }), 1],
        [submitNode({ id: "half-submit", channel: "half-channel", wallet: "half-wallet" }), 2],
        [submitNode({ id: "broken-submit", channel: "broken-channel", wallet: "broken-wallet" }), 2],
      ],
      [
        connectionNode(harness.service.ready, { id: "bare", ...bare, validSigners: "" }),
        channelNode({ id: "bare-channel", connection: "bare" }),
        walletNode(harness.service.ready, { id: "bare-wallet", connection: "bare" }),
        connectionNode(harness.service.ready, { id: "half", ...half }),
        channelNode({ id: "half-channel", connection: "half" }),
        walletNode(harness.service.ready, { id: "half-wallet", connection: "half" }),
        connectionNode(harness.service.ready, { id: "broken", ...broken }),
        channelNode({ id: "broken-channel", connection: "broken" }),
        walletNode(harness.service.ready, { id: "broken-wallet", connection: "broken" }),
      ],
    );
  });
  afterEach(() => {
    harness.proxy.harm = () => undefined;
  });
  after(() => harness?.close());

  /** Changes the status events, and the operation itself, on their way to Node-RED. */
  const relay = (lie: (event: EventEnvelope) => void, status?: string) => {
    const changeEvents = (body: string) => {
      const page = JSON.parse(body) as { events: EventEnvelope[] };
      for (const event of page.events) lie(event);
      return JSON.stringify(page);
    };
    const changeOperation = (body: string) =>
      JSON.stringify({ ...JSON.parse(body), ...(status && { status }) });
    harness.proxy.harm = (passing) => {
      if (isSearch(passing)) return { kind: "change", change: changeEvents };
      return isOperation(passing) ? { kind: "change", change: changeOperation } : undefined;
    };
  };
  const confirmFailed = (event: EventEnvelope): void => {
    if (event.payload.status !== "failed") return;
    Object.assign(event.payload, { status: "confirmed_latest", status_reason: "" });
  };
  const toldOf = (id: string, msg: Message): unknown[] =>
    harness.seenAt(`${id}:1`, msg.probe).map(({ crec }) => crec?.status);
  const operationOf = ({ crec }: Message) => ({
    channelId: String(crec?.channelId),
    operationId: String(crec?.operationId),
  });

  it("a changed status does not make a failed operation succeed", async () => {
    relay(confirmFailed, "confirmed_latest");
    const caught = await harness.refuse("fails", {});
    should(caught.error?.code).equal("OPERATION_UNPROVEN");
    should(caught.error?.message).match(/^No valid proof within .*the operation is confirmed_latest/);
    should(caught.error?.message.length).be.below(400);
    should(harness.seenAt("fails:0", caught.probe)).be.empty();
    should(toldOf("fails", caught)).not.containEql("confirmed_latest");
    const { channelId, operationId } = operationOf(caught);
    should((await client.operations.get(channelId, operationId)).status).equal("failed");

    const waited = await harness.refuse("wait", { crec: caught.crec ?? {} });
    should(waited.error?.code).equal("OPERATION_UNPROVEN");
  });

  it("the proof of another operation does not count", async () => {
    const other = await harness.ask("submit", good);
    const { channelId, operationId } = operationOf(other);
    const events = await client.events.search(channelId, {
      type: ["operation.status"],
      operation_id: operationId,
    });
    const all: readonly EventEnvelope[] = events.data;
    const proven = all.find(({ payload }) => payload.status === "confirmed_latest");
    should(proven?.headers.proofs).have.length(1);
    relay((event) => {
      if (event.payload.status !== "failed") return;
      const { operation_id } = event.payload;
      const { type, proofs } = proven?.headers ?? event.headers;
      Object.assign(event, {
        headers: { ...event.headers, type, proofs },
        payload: { ...proven?.payload, operation_id },
      });
    });
    const caught = await harness.refuse("fails", {});
    should(caught.error?.code).equal("OPERATION_UNPROVEN");
    should(caught.error?.message).match(/it is about another operation than the requested one/);
    should(harness.seenAt("fails:0", caught.probe)).be.empty();

    // The message says which id was signed; the operation as the service shows it may say anything.
    const waited = await harness.refuse("wait", { crec: caught.crec ?? {} });
    should(waited.error?.code).equal("OPERATION_UNPROVEN");
  });

  itWide("a status waits for its proof, and counts when the proof arrives", async () => {
    let stripped = 0;
    relay((event) => {
      // Of later statuses too: on a busy machine the next one may exist before the wait asks again.
      if (!String(event.payload.status).startsWith("confirmed") || stripped >= 3) return;
      stripped += 1;
      event.headers.proofs = [];
    });
    const msg = await harness.ask("submit", good);
    should(stripped).equal(3);
    should(msg.crec?.verification).have.property("verified", true);
  });

  itWide(
    "a proven status that is reported as a higher level does not count until the true one arrives",
    async () => {
      relay((event) => {
        if (event.payload.status === "confirmed_latest") event.payload.status = "confirmed";
      });
      const msg = await harness.ask("final", good);
      should(msg.crec).containDeep({ status: "confirmed", verification: { verified: true } });
      const { channelId, operationId } = operationOf(msg);
      should((await client.operations.get(channelId, operationId)).status).equal("confirmed");
      should(toldOf("final", msg)).not.containEql("confirmed_latest");
      should(toldOf("final", msg).filter((status) => status === "confirmed")).have.length(1);
    },
  );

  itWide("higher levels that the operation itself reports do not count", async () => {
    relay(() => undefined, "confirmed");
    const msg = await harness.ask("submit", good);
    const { verification, status } = msg.crec ?? {};
    should(verification).have.property("verified", true);
    should(msg.payload).have.property("status", status);
    should(status).not.equal("confirmed");
  });

  it("a status below confirmed_latest has no proof, and says so", async () => {
    const msg = await harness.ask("fails-soon", {});
    should(msg.crec?.verification).have.properties({ verified: false, reason: "not_verifiable" });
  });

  it("a wait that does not know what was signed says so, whatever the relay reports", async () => {
    const other = await harness.ask("submit", good);
    const { verification: proven, ...crec } = other.crec ?? {};
    should((await harness.ask("wait", { crec })).crec?.verification).have.property("verified", true);
    const { walletOperationId, ...unknown } = crec;
    const msg = await harness.ask("wait", { crec: unknown });
    should(msg.crec?.verification).match({
      verified: false,
      reason: "unproven",
      message: /walletOperationId/,
    });
    await harness.nodeRed.status("wait", /^(included \(not final\)|final), unproven$/);
    should([proven, walletOperationId]).not.containEql(undefined);
  });

  it("a signed text with a status that has no proof does not count", async () => {
    relay((event) => {
      if (event.payload.status !== "failed") return;
      const { wallet_operation_id, address: wallet_address } = event.payload;
      const data = {
        status: "confirmed_latest",
        wallet_operation_id,
        wallet_address,
        transaction_hash: "0x1",
      };
      const text = JSON.stringify({ service: "_crec", name: "s", timestamp: "2026-01-31T12:00:00Z", data });
      Object.assign(event.payload, {
        status: "sent",
        verifiable_event: Buffer.from(text).toString("base64"),
      });
    });
    const caught = await harness.refuse("fails", {});
    should(caught.error?.code).equal("WAIT_TIMEOUT");
    should(harness.seenAt("fails:0", caught.probe)).be.empty();
    should(toldOf("fails", caught)).not.containEql("confirmed_latest");
  });

  it("without verification settings confirmations count, and are marked as unproven", async () => {
    const msg = await harness.ask("bare-submit", good);
    const { verification } = msg.crec ?? {};
    should(verification).have.properties({ verified: false, reason: "unproven" });
    should((verification as { message: string }).message).match(/no verification settings/);
    await harness.nodeRed.status("bare-submit", /^(included \(not final\)|final), unproven$/);
    const waited = await harness.ask("bare-wait", { crec: msg.crec ?? {} });
    should(waited.crec?.verification).have.property("reason", "unproven");
    await harness.nodeRed.status("bare-wait", /^(included \(not final\)|final), unproven$/);
  });

  it("wrong verification settings are an error before anything is signed", async () => {
    const before = harness.proxy.passed.length;
    const caught = await harness.refuse("broken-submit", good);
    should(caught.error?.code).equal("CONNECTION_INCOMPLETE");
    should(caught.error?.message).match(/threshold must be from 1 to \d+.*nothing was sent/);
    const incomplete = await harness.refuse("half-submit", good);
    should(incomplete.error).match({ code: "CONNECTION_INCOMPLETE", message: /there are no signers/ });
    const posts = harness.proxy.passed.slice(before).filter(({ method }) => method === "POST");
    should(posts).be.empty();
  });
});
