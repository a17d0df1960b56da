import should from "should";
import type { Confidence, EventEnvelope, Network, VerifiableEvent } from "../../src/protocol/index.ts";
import { signedText, startTestService } from "./support.ts";

const CASES: ReadonlyArray<{ confidences: Confidence[]; strongest: Confidence }> = [
  { confidences: ["latest"], strongest: "latest" },
  { confidences: ["finalized"], strongest: "finalized" },
  { confidences: ["latest", "safe"], strongest: "safe" },
];

describe("the confidence levels of the local service", function () {
  this.timeout(120_000);

  for (const { confidences, strongest } of CASES) {
    it(`are each reported once on a network with ${confidences.join(" and ")}, with the strongest on resources`, async () => {
      const { api, dispose } = await startTestService({ confidences });
      try {
        const channelId = await api.channel();
        const watcher = await api.transferWatcher(channelId);
        await api.ok("POST", "/local/faucet", { amount: "1" });
        await api.ok("POST", "/local/faucet", { amount: "2" });
        const isTransfer = ({ headers }: EventEnvelope) => headers.type === "watcher.event";
        const count = 2 * confidences.length;
        const events = await api.eventsUntil(channelId, (all) => all.filter(isTransfer).length >= count);
        const levels = events
          .filter(isTransfer)
          .map((event) => signedText<VerifiableEvent>(event).chain_event?.confidence);
        should(levels.toSorted()).eql([...confidences, ...confidences].toSorted());

        const { data: networks } = await api.ok<{ data: Network[] }>("GET", "/networks");
        should(networks.map((network) => network.default_confidence_level)).eql([strongest]);
        const wallet = await api.ok("POST", "/wallets", {
          ...{ name: "wallet", wallet_owner_address: `0x${"1".repeat(40)}`, wallet_type: "ecdsa" },
          chain_selector: api.ready.chain_selector,
        });
        const { data: wallets } = await api.ok<{ data: unknown[] }>("GET", "/wallets");
        const { data: watchers } = await api.ok<{ data: unknown[] }>(
          "GET",
          `/channels/${channelId}/watchers`,
        );
        for (const resource of [watcher, wallet, ...wallets, ...watchers]) {
          should(resource).containEql({ confidence_level: strongest });
        }
      } finally {
        await dispose();
      }
    });
  }
});
