import should from "should";
import { type VerifyConfig, verifyEvent, workflowOwnerFromOrgId } from "../../src/proofs/index.ts";
import type { EventEnvelope, Hex } from "../../src/protocol/index.ts";
import { onEachEngine } from "./engines.ts";
import {
  familySet,
  OTHER_OWNER,
  OWNER,
  ownConfig,
  shouldBeRejected,
  signedByFamily,
  signedEvent,
} from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const WALLET = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e";
const WATCHER = "0f8fad5b-d9cb-469f-a165-70867728950e";
const LOG = { chain_id: "11155111", tx_hash: `0x${"ab".repeat(32)}`, address: WALLET, log_index: 0 };
const SIGNED = { name: "Transfer", timestamp: "2026-08-01T00:00:00Z", chain_event: LOG };
const BESIDE = { watcher_id: WATCHER, chain_selector: SELECTOR, timestamp: 1_785_542_400 };

const ours = () => signedEvent("watcher.event", SIGNED, BESIDE);
const theirs = (options?: { signatures?: number; owner?: Hex }) =>
  signedByFamily("watcher.event", SIGNED, BESIDE, options);
const withFamilies = (set: object = {}): VerifyConfig => ({
  ...ownConfig,
  families: { "zone-b": { ...familySet, ...set } },
});

onEachEngine("sets of oracle families", (verifierOf) => {
  it("verify an event with the set of its watcher's family, and name the family in the result", async () => {
    const verifier = verifierOf(withFamilies());
    const verified = await verifier.verify(theirs(), { donFamily: "zone-b" });
    should(verified).have.properties({ verified: true, donFamily: "zone-b" });
    should(verified.verified && verified.signers).have.length(3);
    const byDefault = await verifier.verify(ours());
    should(byDefault.verified).be.true();
    should(byDefault).not.have.property("donFamily");
  });

  it("never verify the event of another family", async () => {
    const verifier = verifierOf(withFamilies());
    const asTheirs = await verifier.verify(ours(), { donFamily: "zone-b" });
    shouldBeRejected(asTheirs, "threshold_not_met");
    should(asTheirs).have.property("donFamily", "zone-b");
    for (const donFamily of [undefined, "", "zone-a", "ZONE-B", "__proto__", "constructor"]) {
      const result = await verifier.verify(theirs(), { donFamily });
      shouldBeRejected(result, "threshold_not_met");
      should(result).not.have.property("donFamily");
    }
  });

  it("have a threshold of their own", async () => {
    const donFamily = "zone-b";
    const verifier = verifierOf(withFamilies());
    const two = await verifier.verify(theirs({ signatures: 2 }), { donFamily });
    shouldBeRejected(two, "threshold_not_met");
    should(two)
      .have.property("message")
      .match(/family "zone-b"/);
  });

  it("use the default set for a family without a set", async () => {
    const verifier = verifierOf(withFamilies());
    should((await verifier.verify(ours(), { donFamily: "zone-a" })).verified).be.true();
    should((await verifierOf(ownConfig).verify(ours(), { donFamily: "zone-b" })).verified).be.true();
  });

  it("are never used for operations and queries", async () => {
    const data = { wallet_operation_id: "7", wallet_address: WALLET, status: "confirmed" };
    const beside = {
      ...{ status: "confirmed", operation_id: "o", wallet_operation_id: "7" },
      ...{ address: WALLET, chain_selector: SELECTOR, watcher_id: WATCHER },
    };
    const signed = { service: "_crec", name: "OperationStatus", chain_selector: SELECTOR, data };
    const verifier = verifierOf(withFamilies());
    const status = signedByFamily("operation.status", signed, beside);
    shouldBeRejected(await verifier.verify(status, { donFamily: "zone-b" }), "threshold_not_met");
    const platform = signedEvent("operation.status", signed, beside);
    const result = await verifier.verify(platform, {
      donFamily: () => Promise.reject(new Error("looked up")),
    });
    should(result).have.property("verified", true);
  });

  it("use organization and tenant of the default set where they name none", async () => {
    const options = { donFamily: "zone-b" };
    const owner = (tenant: string) => workflowOwnerFromOrgId("org_ours", tenant).toLowerCase() as Hex;
    const event = (tenant: string) => theirs({ owner: owner(tenant) });
    const config = { ...withFamilies(), orgId: "org_ours", creTenantId: "1", workflowOwner: null };
    should((await verifierOf(config).verify(event("1"), options)).verified).be.true();
    shouldBeRejected(await verifierOf(config).verify(event("2"), options), "workflow_owner_mismatch");
    const elsewhere = { ...config, ...{ families: withFamilies({ creTenantId: "2" }).families ?? {} } };
    should((await verifierOf(elsewhere).verify(event("2"), options)).verified).be.true();
    shouldBeRejected(await verifierOf(elsewhere).verify(event("1"), options), "workflow_owner_mismatch");
    const byCall = { ...options, orgId: "org_of_another_customer" };
    shouldBeRejected(await verifierOf(elsewhere).verify(event("2"), byCall), "workflow_owner_mismatch");
  });

  it("do not use the owner of the default set for another tenant", async () => {
    const options = { donFamily: "zone-b" };
    const own = verifierOf(withFamilies({ creTenantId: "2" }));
    shouldBeRejected(await own.verify(theirs({ owner: OWNER }), options), "not_configured");
    const other = verifierOf(withFamilies({ workflowOwner: OTHER_OWNER }));
    should((await other.verify(theirs({ owner: OTHER_OWNER }), options)).verified).be.true();
    shouldBeRejected(await other.verify(theirs(), options), "workflow_owner_mismatch");
  });

  it("are independent: an invalid set rejects only the events for which it is used", async () => {
    for (const wrong of [{ minRequiredSignatures: 8 }, { validSigners: ["0x12"] }, { validSigners: [] }]) {
      const verifier = verifierOf(withFamilies(wrong));
      const result = await verifier.verify(theirs(), { donFamily: "zone-b" });
      shouldBeRejected(result, "not_configured");
      should(result)
        .have.property("message")
        .match(/of the family "zone-b"/);
      should((await verifier.verify(ours())).verified).be.true();
    }
    const onlyTheirs = verifierOf({ ...withFamilies(), minRequiredSignatures: 9 });
    should((await onlyTheirs.verify(theirs(), { donFamily: "zone-b" })).verified).be.true();
    shouldBeRejected(await onlyTheirs.verify(ours()), "not_configured");
    const none = verifierOf({ ...ownConfig, families: { "zone-b": null } } as unknown as VerifyConfig);
    shouldBeRejected(await none.verify(theirs(), { donFamily: "zone-b" }), "not_configured");
  });

  it("look up the family by the watcher's id only where families are configured", async () => {
    const lookedUp: string[] = [];
    const donFamily = async (watcherId: string) => {
      lookedUp.push(watcherId);
      return "zone-b";
    };
    should((await verifierOf(ownConfig).verify(ours(), { donFamily })).verified).be.true();
    should(lookedUp).be.empty();
    should((await verifierOf(withFamilies()).verify(theirs(), { donFamily })).verified).be.true();
    should(lookedUp).deepEqual([WATCHER]);
    const malformed = { ...ours(), payload: { watcher_id: WATCHER } } as EventEnvelope;
    shouldBeRejected(await verifierOf(withFamilies()).verify(malformed, { donFamily }), "malformed_event");
    should(lookedUp).have.length(1);
  });

  it("reject with the error of the lookup", async () => {
    const donFamily = () => Promise.reject(new Error("the service does not answer"));
    await should(verifierOf(withFamilies()).verify(theirs(), { donFamily })).be.rejectedWith(
      "the service does not answer",
    );
  });

  it("follow the watcher that an event names, which is not signed, and name the family in the result", async () => {
    // An attacker who changes what is beside the signed text can choose among the configured sets only.
    const donFamily = async (watcherId: string) => (watcherId === WATCHER ? "zone-b" : undefined);
    const verifier = verifierOf(withFamilies());
    const renamed = { ...theirs(), payload: { ...theirs().payload, watcher_id: WALLET } };
    shouldBeRejected(await verifier.verify(renamed as EventEnvelope, { donFamily }), "threshold_not_met");
    const back = { ...renamed, payload: { ...renamed.payload, watcher_id: WATCHER } };
    should(await verifier.verify(back as EventEnvelope, { donFamily })).have.properties({
      verified: true,
      donFamily: "zone-b",
    });
  });
});

describe("verifyEvent", () => {
  it("uses the family given for one event", async () => {
    const result = await verifyEvent(theirs(), withFamilies(), { donFamily: "zone-b" });
    should(result).have.properties({ verified: true, donFamily: "zone-b" });
  });
});
