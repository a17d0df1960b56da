import type { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import type { Node } from "node-red";
import should from "should";
import registerChannel from "../../nodes/channel/node.ts";
import { activity } from "../../nodes/common/telemetry/activity.ts";
import registerConnection from "../../nodes/connection/node.ts";
import registerContract from "../../nodes/contract/node.ts";
import registerVerifyEvent from "../../nodes/verify-event/node.ts";
import { signedFacts } from "../../src/index.ts";
import { configOf, type ProofCase, proofCases } from "../proofs/fixtures.ts";
import type { Message } from "../support/flow-harness.ts";
import { TRANSFER_ABI } from "../support/nodes.ts";

/** The part of the test helper in use; it comes without types. */
type Helper = {
  init(runtime: string): void;
  startServer(): Promise<void>;
  stopServer(): Promise<void>;
  load(nodes: unknown[], flow: unknown[], credentials: Record<string, unknown>): Promise<void>;
  unload(): Promise<void>;
  getNode(id: string): Node & { receive(msg: unknown): void };
};

const require = createRequire(import.meta.url);
const helper = require("node-red-node-test-helper") as Helper;
const PORTS = ["verified", "rejected", "unsigned"] as const;

/** Each worked example through the node, as a flow does it. */
describe("verify event", () => {
  before(() => {
    helper.init(require.resolve("node-red"));
    return helper.startServer();
  });
  afterEach(() => helper.unload());
  after(() => helper.stopServer());

  /** What comes out, and of which port. */
  async function verify(
    { event, config }: Pick<ProofCase, "event" | "config">,
    message: Message = {},
    properties: Record<string, unknown> = {},
  ) {
    const { orgId, workflowOwner, creTenantId, validSigners, minRequiredSignatures } = configOf(
      config === undefined ? {} : { config },
    );
    const connection = {
      id: "connection",
      type: "crec-connection",
      baseUrl: "http://127.0.0.1/v1",
      orgId: orgId ?? "",
      workflowOwner: workflowOwner ?? "",
      creTenantId,
      validSigners: validSigners.join("\n"),
      minRequiredSignatures: String(minRequiredSignatures),
    };
    const contract = {
      id: "contract",
      type: "crec-contract",
      chainSelector: "1",
      address: "0x0000000000000000000000000000000000000001",
      abi: TRANSFER_ABI,
      ...(properties.theContract as object | undefined),
    };
    const channel = {
      id: "channel",
      type: "crec-channel",
      connection: "connection",
      channel: "7e77863e-8c8d-44b2-a0e0-45cad1325017",
      ...(properties.theChannel as object | undefined),
    };
    const node = {
      id: "verify",
      type: "crec-verify-event",
      connection: "connection",
      ...properties,
      wires: PORTS.map((port) => [port]),
    };
    const ends = PORTS.map((id) => ({ id, type: "helper" }));
    await helper.load(
      [registerConnection, registerContract, registerChannel, registerVerifyEvent],
      [connection, contract, channel, node, ...ends],
      { connection: { apiKey: "any" } },
    );
    const outcome = new Promise<{ port: string; msg: Message }>((resolve) => {
      for (const port of PORTS) {
        helper.getNode(port).on("input", (msg) => resolve({ port, msg: msg as unknown as Message }));
      }
    });
    helper.getNode("verify").receive({ ...message, crec: { ...message.crec, event } });
    return outcome;
  }

  for (const { name, event, config, expect, why } of proofCases) {
    const wanted = expect === "verified" ? "verified" : why === "not_verifiable" ? "unsigned" : "rejected";
    it(`${name}: ${wanted}${wanted === "rejected" ? `, ${why}` : ""}`, async () => {
      const before = structuredClone(event);
      const company = { payload: "as it came", topic: "mine", crec: { keep: "me" } };
      const { port, msg } = await verify({ event, ...(config ? { config } : {}) }, company);
      should(port).equal(wanted);
      should(msg.topic).equal("mine");
      should(msg.crec).have.properties({ keep: "me", event: before });
      const verification = msg.crec?.verification as Record<string, unknown>;
      if (wanted === "verified") {
        should(verification).have.keys("verified", "signers");
        should(verification.signers).be.an.Array().and.not.be.empty();
        should(msg.crec?.dedupeKey).be.a.String().and.not.be.empty();
      } else {
        should(verification).have.keys("verified", "reason", "message");
        should(verification).have.properties({ verified: false, reason: why });
        should(verification.message).match(/^[A-Z].*\.( \(.*\))?$/s);
        should(msg.crec).not.have.property("dedupeKey");
      }
      if (wanted === "rejected") should(msg.payload).equal("as it came");
      else should(msg.payload).be.an.Object().and.not.equal("as it came");
      should(() => JSON.stringify(msg.payload)).not.throw();
      should(event).deepEqual(before);
    });
  }

  it("returns the same result for an event whose type, offset and proofs are beside the headers, as an api call may return it", async () => {
    for (const { event, config } of proofCases) {
      const settings = config ? { config } : {};
      const { headers, ...others } = event;
      const flat = { ...others, ...headers } as unknown as ProofCase["event"];
      const one = await verify({ event, ...settings });
      await helper.unload();
      const { port, msg } = await verify({ event: flat, ...settings });
      await helper.unload();
      should(port).equal(one.port);
      for (const field of ["verification", "dedupeKey"]) should(msg.crec?.[field]).eql(one.msg.crec?.[field]);
      should(msg.payload).eql(one.msg.payload);
      should(msg.crec?.event).eql(flat);
    }
  });

  it("rejects what is no event of the service, whatever its fields are", async () => {
    const [first] = proofCases;
    if (!first) throw new Error("There are no worked examples.");
    const odd: readonly unknown[] = [
      null,
      7,
      "x",
      [],
      {},
      { type: {}, offset: {} },
      { type: { toString: null }, offset: "x" },
    ];
    for (const event of [{}, ...odd.flatMap((one) => [{ headers: one }, { ...first.event, headers: one }])]) {
      const { port, msg } = await verify({ event: event as ProofCase["event"] });
      await helper.unload();
      should(port).not.equal("verified");
      should(msg.crec?.verification).have.property("verified", false);
    }
    for (const { type, offset = 0 } of activity.events.all()) {
      should(type).be.a.String();
      should(offset).be.a.Number();
    }
  });

  it("sends nothing after a deploy has closed it", async () => {
    const [first] = proofCases;
    if (!first) throw new Error("There are no worked examples.");
    await verify(first);
    const node = helper.getNode("verify");
    // Open until it is closed.
    const judged = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<void>();
    (helper.getNode("connection") as unknown as { connection: object }).connection = {
      verifier: async () => ({
        verify: () => {
          asked.resolve();
          return judged.promise;
        },
      }),
    };
    const outcome = new Promise((resolve) => {
      (node as EventEmitter).once("call:error", () => resolve("ended"));
      for (const port of PORTS) helper.getNode(port).on("input", () => resolve(port));
    });
    node.receive({ crec: { event: first.event } });
    await asked.promise;
    await node.close(false);
    judged.resolve({ verified: true, signers: [] });
    should(await outcome).equal("ended");
  });

  it("does not depend on unsigned fields: the same proof has the same key under another event id", async () => {
    const [first] = proofCases;
    if (!first) throw new Error("There are no worked examples.");
    const one = await verify(first);
    await helper.unload();
    const copy = structuredClone(first.event);
    copy.event_id = "00000000-0000-4000-8000-000000000000";
    copy.headers.offset += 1000;
    const other = await verify({ event: copy });
    should(other.port).equal("verified");
    should(other.msg.crec?.dedupeKey).equal(one.msg.crec?.dedupeKey);
  });

  it("says in which list an event came, and keeps what an event of events in or search events says", async () => {
    const [first] = proofCases;
    if (!first) throw new Error("There are no worked examples.");
    const parts = { id: "list", index: 3 };
    const seen = async (message: Message, properties = {}) => {
      const { msg } = await verify(first, { parts, ...message }, properties);
      await helper.unload();
      return msg.crec?.eventParts;
    };
    const inPayload = { event: "payload", eventType: "msg" };
    const payload = { ...structuredClone(first.event), event_id: "00000000-0000-4000-8000-000000000000" };
    should(await seen({ payload }, inPayload)).equal("list");
    const crec = { eventParts: "of an event before" };
    should(await seen({ payload, parts: undefined, crec }, inPayload)).be.undefined();
    should(await seen({ payload: structuredClone(first.event) }, inPayload)).be.undefined();
    // Split from its event, as the parts of a message of events in are.
    should(await seen({})).be.undefined();
    should(await seen({ crec: { eventParts: "search" } })).equal("search");
  });

  it("sends what its ABI cannot read undecoded, and reports each reason once", async () => {
    const found = proofCases.find(({ expect, event }) => {
      const signed = Buffer.from(String(event.payload.verifiable_event), "base64").toString();
      return expect === "verified" && signed.includes('"Transfer"');
    });
    if (!found) throw new Error("There is no worked example of a transfer.");
    const abi = "event Transfer(address indexed from, address indexed value, uint256 to)";
    const { msg } = await verify(
      found,
      {},
      { contract: "contract", expectContract: false, theContract: { abi } },
    );
    should(msg.payload).have.keys("type", "undecoded", "reason");
    should(msg.crec?.verification).have.property("verified", true);
    const verifyNode = helper.getNode("verify") as unknown as { error: { callCount: number } };
    const again = new Promise((resolve) => helper.getNode("verified").once("input", resolve));
    helper.getNode("verify").receive({ crec: { event: found.event } });
    await again;
    should(verifyNode.error.callCount).equal(1);
  });

  it("accepts an answer only from the channel that the message names", async () => {
    const answer = proofCases.find(({ name }) => name === "query.status completed");
    const [log] = proofCases;
    if (!answer || !log) throw new Error("There are no worked examples.");
    const read = async (given: ProofCase, crec: Record<string, unknown>) => {
      const { port, msg } = await verify(given, { crec });
      await helper.unload();
      return { port, verification: msg.crec?.verification };
    };
    const its = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
    const other = "00000000-0000-4000-8000-000000000000";
    const eventId = answer.event.event_id;
    should(await read(answer, { eventId, channelId: its.toUpperCase() })).have.property("port", "verified");
    for (const crec of [{ eventId, channelId: other }, { channelId: other }]) {
      const { port, verification } = await read(answer, crec);
      should(port).equal("rejected");
      should(verification).have.properties({ verified: false, reason: "unsigned_field_mismatch" });
      should(verification)
        .have.property("message")
        .match(/the channel/);
    }
    should(await read(answer, { eventId: other, channelId: other })).have.property("port", "verified");
    should(await read(log, { eventId: log.event.event_id, channelId: other })).have.property(
      "port",
      "verified",
    );
  });

  it("accepts an answer only from the configured channel, whatever the message says", async () => {
    const answer = proofCases.find(({ name }) => name === "query.status completed");
    const [log] = proofCases;
    if (!answer || !log) throw new Error("There are no worked examples.");
    const other = "00000000-0000-4000-8000-000000000000";
    const portOf = async (given: ProofCase, theChannel: object, crec: Record<string, unknown> = {}) => {
      const { port } = await verify(given, { crec }, { channel: "channel", theChannel });
      await helper.unload();
      return port;
    };
    should(await portOf(answer, {})).equal("verified");
    should(await portOf(answer, {}, { channelId: other })).equal("verified");
    should(await portOf(answer, { channel: other })).equal("rejected");
    const its = { channelId: "7e77863e-8c8d-44b2-a0e0-45cad1325017" };
    should(await portOf(answer, { channel: other }, its)).equal("rejected");
    should(await portOf(log, { channel: other })).equal("verified");
  });

  describe("with expectations", () => {
    const [transfer] = proofCases.filter(
      ({ expect, event }) => expect === "verified" && event.headers.type === "watcher.event",
    );
    const progress = proofCases.find(({ why }) => why === "not_verifiable");
    if (!transfer || !progress) throw new Error("There are no worked examples to expect anything of.");
    const facts = signedFacts(transfer.event);
    const company = { payload: "as it came", crec: { keep: "me" } };
    const theContract = { address: facts.contract, chainSelector: facts.chainSelector };
    const age = Math.ceil(Date.now() / 1000 - Number(facts.time));

    const accepted: Record<string, Record<string, unknown>> = {
      "the contract": { contract: "contract", expectContract: true, theContract },
      "the event": { expectEvents: `Other, ${facts.name}` },
      "the event, by signature": { expectEvents: facts.signature },
      "the event, as the ABI writes it": {
        expectEvents: "Other(uint256 id), Transfer(address indexed from, address indexed to, uint256 value)",
      },
      "the event, by message": { expectEvents: "wanted", expectEventsType: "msg" },
      "the age": { maxAge: String(age + 3600) },
      "nothing, stored by an older form": { minConfidence: "", maxAge: "", expectEvents: "" },
    };
    for (const [what, properties] of Object.entries(accepted)) {
      it(`accepts ${what}`, async () => {
        const { port } = await verify(transfer, { ...company, wanted: ["Other", facts.name] }, properties);
        should(port).equal("verified");
      });
    }

    const refused: Record<string, Record<string, unknown>> = {
      unexpected_contract: { contract: "contract", expectContract: true },
      unexpected_event: { expectEvents: "Other" },
      too_old: { maxAge: "60" },
    };
    for (const [reason, properties] of Object.entries(refused)) {
      it(`rejects with ${reason}, and leaves the rest of the message unchanged`, async () => {
        const { port, msg } = await verify(transfer, company, properties);
        should(port).equal("rejected");
        should(msg).have.property("payload", "as it came");
        const verification = msg.crec?.verification as Record<string, unknown>;
        should(verification).have.keys("verified", "reason", "message");
        should(verification).have.properties({ verified: false, reason });
        should(msg.crec).have.property("keep", "me").and.not.have.property("dedupeKey");
      });
    }

    it("rejects with confidence_too_low a valid event that is less final than expected", async () => {
      const weak = proofCases.find(
        ({ expect, event }) => expect === "verified" && signedFacts(event).confidence === "latest",
      );
      if (!weak) throw new Error("There is no worked example at latest.");
      should((await verify(weak, {}, { minConfidence: "latest" })).port).equal("verified");
      await helper.unload();
      const { msg } = await verify(weak, {}, { minConfidence: "safe" });
      should(msg.crec?.verification).have.properties({ verified: false, reason: "confidence_too_low" });
    });

    it("reports an invalid proof before unmet expectations", async () => {
      const tampered = proofCases.find(({ why }) => why === "event_hash_mismatch");
      if (!tampered) throw new Error("There is no worked example that was changed.");
      const { msg } = await verify(tampered, {}, { expectEvents: "Other" });
      should(msg.crec?.verification).have.property("reason", "event_hash_mismatch");
    });

    it("checks no expectations of events without a proof: they leave by their own output", async () => {
      const { port } = await verify(progress, {}, { expectEvents: "Other", maxAge: "1" });
      should(port).equal("unsigned");
    });
  });
});
