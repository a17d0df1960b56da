import should from "should";
import {
  VERIFY_REASONS,
  type VerifyConfig,
  type VerifyOptions,
  type VerifyReason,
} from "../../src/proofs/index.ts";
import type { EventEnvelope, Hex, OcrProof } from "../../src/protocol/index.ts";
import { onEachEngine } from "./engines.ts";
import {
  caseNamed,
  configOf,
  OTHER_OWNER,
  ownConfig,
  proofCases,
  proofOf,
  shouldBeRejected,
  signedEvent,
  toSignedText,
} from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const WALLET = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e";

onEachEngine("verifyEvent", (verifierOf) => {
  const verifyEvent = (event: EventEnvelope, config: VerifyConfig) => verifierOf(config).verify(event);

  describe("returns the expected result for every worked example", () => {
    for (const proofCase of proofCases) {
      it(`${proofCase.name}: ${proofCase.why ?? proofCase.expect}`, async () => {
        const result = await verifyEvent(proofCase.event, configOf(proofCase));
        if (proofCase.expect === "verified") should(result.verified).be.true();
        else shouldBeRejected(result, proofCase.why as VerifyReason);
      });
    }
  });

  it("reads type and proofs beside the payload, where an event has no headers", async () => {
    for (const { event, why, ...rest } of proofCases) {
      const { headers, ...others } = event;
      const flat = { ...others, ...headers } as unknown as EventEnvelope;
      const result = await verifyEvent(flat, configOf(rest));
      if (why === undefined) should(result.verified).be.true();
      else shouldBeRejected(result, why as VerifyReason);
    }
  });

  it("lists the members of the set who signed, checksummed, and no others", async () => {
    const { event } = caseNamed("watcher.event, a stranger among enough members");
    const result = await verifyEvent(event, configOf());
    const signers = result.verified ? result.signers : [];
    should(signers.length).be.aboveOrEqual(3);
    for (const signer of signers) should(configOf().validSigners).containEql(signer);
  });

  it("accepts lower-case signers, and counts one given twice once", async () => {
    const { event } = caseNamed("watcher.event, 3 of 7, v 27/28");
    const config = configOf();
    const lower = { ...config, validSigners: config.validSigners.map((signer) => signer.toLowerCase()) };
    should((await verifyEvent(event, lower)).verified).be.true();
    const [first = ""] = config.validSigners;
    const twice = { ...config, validSigners: [first, first.toLowerCase()], minRequiredSignatures: 2 };
    shouldBeRejected(await verifyEvent(event, twice), "not_configured");
  });

  it("accepts organization and tenant in place of the workflow owner", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    should((await verifyEvent(event, { ...configOf(), workflowOwner: null })).verified).be.true();
    const otherTenant = { ...configOf(), workflowOwner: null, creTenantId: "3" };
    shouldBeRejected(await verifyEvent(event, otherTenant), "workflow_owner_mismatch");
    const noTenant = { ...configOf(), workflowOwner: null, creTenantId: null };
    shouldBeRejected(await verifyEvent(event, noTenant), "not_configured");
  });

  it("verifies for another organization that the call names by its id or owner", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const { orgId = null, workflowOwner = null, ...others } = configOf();
    const verifier = verifierOf({ ...configOf(), workflowOwner: OTHER_OWNER });
    shouldBeRejected(await verifier.verify(event), "workflow_owner_mismatch");
    should((await verifier.verify(event, { orgId })).verified).be.true();
    should((await verifier.verify(event, { workflowOwner })).verified).be.true();
    should(await verifier.verifyAll([event], { orgId })).match([{ verified: true }]);
    const none = verifierOf(others);
    shouldBeRejected(await none.verify(event), "not_configured");
    should((await none.verify(event, { orgId })).verified).be.true();
    shouldBeRejected(await none.verify(event, { orgId: "org_other" }), "workflow_owner_mismatch");
  });

  it("never uses the configured organization where a call names an empty one", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const verifier = verifierOf(configOf());
    for (const lost of [{ orgId: undefined }, { orgId: "" }, { workflowOwner: null }, { orgId: 7 }, null]) {
      shouldBeRejected(await verifier.verify(event, lost as VerifyOptions), "not_configured");
    }
  });

  it("accepts nothing where a variable of the configuration is not set", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const { orgId, creTenantId, workflowOwner: _, ...signers } = configOf();
    const lost = undefined;
    for (const config of [
      { ...signers, orgId: lost, creTenantId },
      { ...signers, orgId, creTenantId: lost },
      { ...signers, workflowOwner: lost },
      { ...configOf(), channelId: lost },
      { ...configOf(), channelId: lost, families: { zone: signers } },
    ]) {
      shouldBeRejected(await verifierOf(config).verify(event, { donFamily: "zone" }), "not_configured");
    }
    const verifier = verifierOf(configOf());
    shouldBeRejected(await verifier.verify(event, { channelId: lost }), "not_configured");
    shouldBeRejected(await verifier.verify(event, { orgId: lost }), "not_configured");
    should(
      (await verifyEvent(event, { ...signers, orgId, creTenantId, workflowOwner: lost })).verified,
    ).be.true();
  });

  it("returns the same result for any case of hex", async () => {
    const changeCase = (value: unknown, change: (hex: string) => string): unknown => {
      if (typeof value === "string")
        return value.replace(/^0x[0-9a-f]+$/i, (hex) => `0x${change(hex.slice(2))}`);
      if (Array.isArray(value)) return value.map((item) => changeCase(item, change));
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changeCase(item, change)]));
    };
    const mixed = (hex: string) =>
      hex.replace(/../g, (pair) => pair.toUpperCase().slice(0, 1) + pair.slice(1));
    for (const proofCase of proofCases) {
      const config = configOf(proofCase);
      const expected = await verifyEvent(proofCase.event, config);
      for (const change of [mixed, (hex: string) => hex.toLowerCase(), (hex: string) => hex.toUpperCase()]) {
        const event = changeCase(proofCase.event, change) as EventEnvelope;
        should(await verifyEvent(event, config)).deepEqual(expected);
      }
    }
  });

  it("explains the reason in one sentence, and names the field that differs", async () => {
    const messages = new Set<string>();
    for (const proofCase of proofCases) {
      const result = await verifyEvent(proofCase.event, configOf(proofCase));
      if (!result.verified) messages.add(result.message);
    }
    should(messages.size).be.aboveOrEqual(VERIFY_REASONS.length);
    const { event } = caseNamed("operation.status address field lies");
    should(await verifyEvent(event, configOf()))
      .have.property("message")
      .match(/address/);
  });

  it("explains that a threshold above the number of signatures rejects everything", async () => {
    const { event } = caseNamed("watcher.event, 3 of 7, v 27/28");
    const result = await verifyEvent(event, { ...configOf(), minRequiredSignatures: 4 });
    shouldBeRejected(result, "threshold_not_met");
    should(result)
      .have.property("message")
      .match(/carries 3, and the threshold is 4/);
  });

  it("keeps the order of the checks where several fail", async () => {
    const { event } = caseNamed("operation.status confirmed");
    const [proof] = event.headers.proofs as OcrProof[];
    if (proof === undefined) throw new Error("no proof");
    const payload = event.payload;
    // From the last check to the first: each change adds a fault that is found earlier.
    const faults: Array<[VerifyReason, () => void]> = [
      ["unsigned_field_mismatch", () => Object.assign(payload, { wallet_operation_id: "7" })],
      ["threshold_not_met", () => proof.signatures.splice(2)],
      ["event_hash_mismatch", () => Object.assign(payload, { event_hash: `0x${"00".repeat(32)}` })],
      ["workflow_owner_mismatch", () => Object.assign(proof, { ocr_report: otherOwner(proof.ocr_report) })],
      ["malformed_proof", () => proof.signatures.push("0x00")],
      ["multiple_proofs", () => event.headers.proofs.push(structuredClone(proof))],
      ["no_proof", () => event.headers.proofs.splice(0)],
      ["not_verifiable", () => Object.assign(payload, { status: "sent" })],
      ["malformed_event", () => Object.assign(payload, { wallet_operation_id: "seven" })],
    ];
    for (const [reason, add] of faults) {
      add();
      shouldBeRejected(await verifyEvent(event, configOf()), reason);
    }
    shouldBeRejected(await verifyEvent(event, { ...configOf(), validSigners: [] }), "not_configured");
    should([...faults.map(([reason]) => reason), "not_configured"].length).equal(VERIFY_REASONS.length);
  });

  it("skips proof items of another shape", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    event.headers.proofs.unshift(null, 7, "text", [], { alg: "ecdsa-secp256k1", signatures: "0x" });
    should((await verifyEvent(event, configOf())).verified).be.true();
  });

  it("accepts ids that differ only in leading zeros or case", async () => {
    const { event } = caseNamed("operation.status confirmed");
    const { payload } = event;
    payload.wallet_operation_id = `000${payload.wallet_operation_id}`;
    payload.address = String(payload.address).toLowerCase();
    should((await verifyEvent(event, configOf())).verified).be.true();
  });

  it("rejects a signed status presented as a contract event", async () => {
    for (const name of ["operation.status confirmed", "query.status completed"]) {
      const { event } = caseNamed(name);
      const { verifiable_event, verifiable_result, ...rest } = event.payload;
      event.headers.type = "watcher.event";
      event.payload = {
        ...rest,
        watcher_id: "5111df5c-0f30-42b1-a8f6-f8a6cca47791",
        verifiable_event: verifiable_event ?? verifiable_result,
      };
      shouldBeRejected(await verifyEvent(event, configOf()), "malformed_event");
    }
  });

  it("rejects a contract event presented as an operation's status", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    event.headers.type = "operation.status";
    Object.assign(event.payload, { status: "confirmed", wallet_operation_id: "1", address: WALLET });
    shouldBeRejected(await verifyEvent(event, configOf()), "malformed_event");
  });

  it("compares the channel where one is known, and an event's own channel with it", async () => {
    const { event } = caseNamed("query.status completed");
    const channelId = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
    const other = "00000000-0000-4000-8000-000000000000";
    const verifier = verifierOf({ ...configOf(), channelId });
    should((await verifier.verify(event)).verified).be.true();
    shouldBeRejected(await verifier.verify(event, { channelId: other }), "unsigned_field_mismatch");
    shouldBeRejected(await verifier.verify({ ...event, channel_id: other }), "unsigned_field_mismatch");
  });

  it("compares no channel where none is signed", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const channelId = "00000000-0000-4000-8000-000000000000";
    should((await verifierOf({ ...configOf(), channelId }).verify(event)).verified).be.true();
    should((await verifierOf(configOf()).verify({ ...event, channel_id: channelId })).verified).be.true();
  });

  it("distinguishes a status without a proof yet from one whose signed text was removed", async () => {
    const { event } = caseNamed("operation.status confirmed");
    const { verifiable_event: _, ...rest } = event.payload;
    const cut = { ...event, payload: rest };
    const result = await verifyEvent(cut, configOf());
    shouldBeRejected(result, "malformed_event");
    should(result).have.property("message").endWith("(the signed text is missing)");
    const early = { ...cut, headers: { ...event.headers, proofs: [] } };
    shouldBeRejected(await verifyEvent(early, configOf()), "no_proof");
  });

  it("reads the type beside the headers where they have none", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const { type, ...headers } = event.headers;
    const older = { ...event, type, headers } as unknown as EventEnvelope;
    should((await verifyEvent(older, configOf())).verified).be.true();
  });

  it("compares chain selectors that came as JSON numbers", async () => {
    const log = { chain_id: "1337", tx_hash: "0x", address: WALLET, log_index: 0 };
    const json = `{"name":"Ping","chain_selector":${SELECTOR},"chain_event":${JSON.stringify(log)}}`;
    const payload = { watcher_id: "w", chain_selector: SELECTOR };
    should((await verifyEvent(signedEvent("watcher.event", json, payload), ownConfig)).verified).be.true();
    const lie = { ...payload, chain_selector: "16015286601757825752" };
    shouldBeRejected(
      await verifyEvent(signedEvent("watcher.event", json, lie), ownConfig),
      "unsigned_field_mismatch",
    );
  });

  it("uses the signed chain id where no selector is signed", async () => {
    const resultFor = (chain_id: unknown, chain_selector: string) => {
      const chain_event = { chain_id, tx_hash: "0x", address: WALLET, log_index: 0 };
      const payload = { watcher_id: "w", chain_selector };
      return verifyEvent(signedEvent("watcher.event", { name: "Ping", chain_event }, payload), ownConfig);
    };
    const mainnet = "5009297550715157269";
    should((await resultFor("11155111", SELECTOR)).verified).be.true();
    should((await resultFor(11155111, SELECTOR)).verified).be.true();
    should((await resultFor("424242", "4242")).verified).be.true();
    should((await resultFor(undefined, SELECTOR)).verified).be.true();
    shouldBeRejected(await resultFor("11155111", mainnet), "unsigned_field_mismatch");
    shouldBeRejected(await resultFor("424242", mainnet), "unsigned_field_mismatch");
    shouldBeRejected(await resultFor("11155111", "4242"), "unsigned_field_mismatch");
  });

  it("rejects signed content that is not JSON in base64", async () => {
    const texts = ["not base64!", "abc", toSignedText("{"), toSignedText("[]"), toSignedText("null"), ""];
    const invalidUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString("base64");
    for (const text of [...texts, invalidUtf8]) {
      const event = signedEvent("watcher.event", "{}", { watcher_id: "w", chain_selector: SELECTOR });
      event.payload.verifiable_event = text;
      event.headers.proofs = [proofOf(text)];
      shouldBeRejected(await verifyEvent(event, ownConfig), "malformed_event");
    }
  });

  it("rejects a query with both a result and an error, or with neither", async () => {
    const target = { from_address: WALLET, contract_address: WALLET, call_data: "0x" };
    for (const answer of [{}, { result: { raw_return_data: "0x" }, error: { code: "X", message: "" } }]) {
      const data = { query_id: "q", channel_id: "c", target, ...answer };
      const payload = { query_id: "q", status: "completed", target: WALLET, chain_selector: SELECTOR };
      const event = signedEvent("query.status", { name: "ChainQuery", data }, payload);
      shouldBeRejected(await verifyEvent(event, ownConfig), "malformed_event");
    }
  });
});

/** The same report in the name of another workflow owner. */
function otherOwner(report: Hex): Hex {
  return `${report.slice(0, 2 + 2 * 87)}${"11".repeat(20)}${report.slice(2 + 2 * 107)}` as Hex;
}
