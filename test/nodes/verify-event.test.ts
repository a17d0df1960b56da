import { createRequire } from "node:module";
import type { Node } from "node-red";
import should from "should";
import registerConnection from "../../nodes/connection/connection.ts";
import registerContract from "../../nodes/contract/contract.ts";
import registerVerifyEvent from "../../nodes/verify-event/verify-event.ts";
import { configOf, type ProofCase, proofCases } from "../proofs/fixtures.ts";
import type { Message } from "../support/bench.ts";
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
  async function verify({ event, config }: Pick<ProofCase, "event" | "config">, message: Message = {}) {
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
    };
    const node = {
      id: "verify",
      type: "crec-verify-event",
      connection: "connection",
      wires: PORTS.map((port) => [port]),
    };
    const ends = PORTS.map((id) => ({ id, type: "helper" }));
    await helper.load(
      [registerConnection, registerContract, registerVerifyEvent],
      [connection, contract, node, ...ends],
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

  it("does not judge an event by its envelope: the same proof has the same key under another event id", async () => {
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
});
