import should from "should";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { onEachEngine } from "./engines.ts";
import { ownConfig, shouldBeRejected, signedEvent } from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const WALLET = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e";
const LOG = { chain_id: "11155111", tx_hash: `0x${"ab".repeat(32)}`, address: WALLET, log_index: 0 };

const OPERATION = { wallet_operation_id: "7", wallet_address: WALLET, status: "confirmed" };
const QUERY = {
  query_id: "q",
  channel_id: "c",
  target: { contract_address: WALLET },
  block_selection: { requested: { type: "latest" } },
  result: { raw_return_data: "0x01" },
};
const BESIDE = {
  "operation.status": {
    status: "confirmed",
    operation_id: "o",
    wallet_operation_id: "7",
    address: WALLET,
    chain_selector: SELECTOR,
  },
  "query.status": { query_id: "q", status: "completed", target: WALLET, chain_selector: SELECTOR },
  "watcher.event": { watcher_id: "w", chain_selector: SELECTOR },
};

/** Both come from the same oracles: only what is signed tells who says it. */
onEachEngine("the report of a service's watcher", (verifierOf) => {
  const verifier = verifierOf(ownConfig);
  const verify = (type: keyof typeof BESIDE, signed: object): Promise<{ verified: boolean }> =>
    verifier.verify(
      signedEvent(
        type,
        { name: "Thing", chain_selector: SELECTOR, ...signed },
        BESIDE[type],
      ) as EventEnvelope,
    );

  for (const [type, data] of [
    ["operation.status", OPERATION],
    ["query.status", QUERY],
  ] as const) {
    it(`is never accepted as ${type}, whatever its data look like`, async () => {
      should(await verify(type, { service: "_crec", data })).have.property("verified", true);
      for (const service of ["settlement", "_CREC", "_crec ", "crec", 7, {}, ["_crec"]]) {
        for (const more of [{}, { chain_event: LOG }]) {
          shouldBeRejected((await verify(type, { service, data, ...more })) as never, "malformed_event");
        }
      }
    });

    it(`is never accepted as ${type} where it names a log but no service`, async () => {
      for (const service of [undefined, null, ""]) {
        should(await verify(type, { service, data })).have.property("verified", true);
        shouldBeRejected(
          (await verify(type, { service, data, chain_event: LOG })) as never,
          "malformed_event",
        );
      }
    });

    it(`is never made from ${type}, with a log or without`, async () => {
      for (const more of [{}, { chain_event: LOG }]) {
        shouldBeRejected(
          (await verify("watcher.event", { service: "_crec", data, ...more })) as never,
          "malformed_event",
        );
      }
    });
  }

  it("is recognized by its service alone where the platform's data are incomplete", async () => {
    for (const data of [
      { query_id: "q", block_selection: {} },
      { query_id: "q", target: {} },
    ]) {
      shouldBeRejected((await verify("watcher.event", { data })) as never, "malformed_event");
      should(await verify("watcher.event", { service: "settlement", data })).have.property("verified", true);
    }
  });

  it("is rejected with the name of its service", async () => {
    const says = async (service: unknown) =>
      verifier.verify(
        signedEvent(
          "operation.status",
          { service, data: OPERATION, chain_event: LOG },
          BESIDE["operation.status"],
        ) as EventEnvelope,
      );
    should(await says("settlement\n".repeat(9))).match({
      message: /names the service "settlement\\n(settlement\\n)*/,
    });
    should(((await says("x".repeat(500))) as { message: string }).message.length).be.below(400);
    for (const service of [null, "", 7]) {
      should(await says(service)).match({ message: /was not issued by the platform: it names no service/ });
    }
  });

  it("may have a log that is null", async () => {
    const statement = { service: "_crec", data: OPERATION, chain_event: null };
    should(await verify("operation.status", statement)).have.property("verified", true);
  });

  it("is verified as a watcher's event", async () => {
    const reported = [
      { service: "settlement", data: { amount: "1" } },
      { service: "settlement", data: OPERATION, chain_event: LOG },
      { chain_event: LOG },
    ];
    for (const signed of reported) {
      should(await verify("watcher.event", signed)).have.property("verified", true);
    }
  });
});
