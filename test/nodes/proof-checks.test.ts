import should from "should";
import { proofChecks } from "../../nodes/connection/admin/proof-checks.ts";
import type { FormVerification } from "../../nodes/connection/admin/tested-settings.ts";
import type { CrecClient } from "../../src/index.ts";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { familySet, OWNER, ownConfig, signedByFamily, signedEvent } from "../proofs/fixtures.ts";

/** What Test connection says about signers, by the events that the account has. */
describe("signers are checked on a real event", () => {
  const FAMILY = { "zone-b": familySet };
  const SELECTOR = "16015286601757825753";
  const theirs = () => {
    const chain_event = { chain_id: "11155111", tx_hash: `0x${"ab".repeat(32)}`, log_index: 1 };
    const payload = { watcher_id: "00000000-0000-4000-8000-000000000002", chain_selector: SELECTOR };
    return signedByFamily("watcher.event", { name: "Transfer", chain_event }, payload);
  };
  const ofOperation = () => {
    const [address, wallet_operation_id] = [`0x${"cd".repeat(20)}`, "7"];
    const data = { wallet_operation_id, wallet_address: address, status: "confirmed" };
    const beside = { status: "confirmed", operation_id: "o", wallet_operation_id, address };
    const signed = { service: "_crec", name: "OperationStatus", chain_selector: SELECTOR, data };
    return signedEvent("operation.status", signed, { ...beside, chain_selector: SELECTOR });
  };

  /** An account with one channel; all its watchers are of one family. */
  const accountWith = (events: EventEnvelope[]): CrecClient => {
    const withOffsets = events.map((event, offset) => ({
      ...event,
      headers: { ...event.headers, offset },
    }));
    return {
      channels: { list: async () => ({ data: [{ channel_id: "c" }] }) },
      events: { poll: async () => ({ events: withOffsets }) },
      watchers: { familyOf: async () => "zone-b" },
    } as unknown as CrecClient;
  };
  const form = (): FormVerification => {
    const texts = {
      ...{ orgId: "", creTenantId: "", workflowOwner: OWNER },
      validSigners: ownConfig.validSigners.join("\n"),
      minRequiredSignatures: String(ownConfig.minRequiredSignatures),
    };
    const settings = Object.entries(texts).map(([name, text]) => [name, { written: text, value: text }]);
    return Object.fromEntries(settings) as FormVerification;
  };
  const said = async (events: EventEnvelope[], families = {}) =>
    (await proofChecks(accountWith(events), form(), families)).map(({ state, text }) => `${state} ${text}`);

  it("of another oracle family with the set of that family", async () => {
    should(await said([theirs()], FAMILY)).deepEqual(["ok owner", "ok signers-of-family"]);
  });

  it("of another oracle family without such a set: only that family is said to be rejected", async () => {
    should(await said([theirs()])).deepEqual(["ok owner", "problem signers-unknown-of-family"]);
  });

  it("that is not of a watcher, if there is one, even if it is older", async () => {
    should(await said([ofOperation(), theirs()])).deepEqual(["ok owner", "ok signers"]);
  });
});
