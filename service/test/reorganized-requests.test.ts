import { randomUUID } from "node:crypto";
import should from "should";
import type { Query, VerifiableResult } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { sized } from "../../test/support/variants.ts";
import { rpc } from "./transactions.ts";
import { useOperations } from "./use-operations.ts";

/** How many requests wait for their answers at the same time. */
const AT_ONCE = 6;
const DEEPEST = 30;

describe("requests while the chain is reorganized", function () {
  this.timeout(300_000);
  const used = useOperations();
  const stranger = localEcdsaSigner(generatePrivateKey());

  it("are answered, and no query at a tag fails", async () => {
    const { api, channelId } = used.started();
    // The wallet and the contracts stay.
    await api.ok("POST", "/local/mine", { blocks: 40 });
    const creates = sized(50, 600);
    const failed: unknown[] = [];
    const create = async (index: number) => {
      const operation = used.draft([used.call("Counter", "increment", [])]);
      // Most of them are refused after the wallet was asked: executing all would take longer than creating them.
      const isOwn = index % 25 === 0;
      const answer = await used.submit(operation, isOwn ? used.signer : stranger);
      if (answer.status !== (isOwn ? 201 : 400)) failed.push(answer.body);
    };
    const query = async (index: number) => {
      const path = `/channels/${channelId}/queries`;
      const { query_id } = await api.ok<Query>("POST", path, {
        idempotency_key: randomUUID(),
        query_kind: "evm_call",
        chain_selector: api.ready.chain_selector,
        params: {
          contract_address: api.ready.contracts.DemoToken,
          call_data: "0x18160ddd",
          block_selection: { type: index % 4 === 0 ? "finalized" : "latest" },
        },
      });
      const ended = await api.until<Query>(`${path}/${query_id}`, "completed", "failed", "expired");
      if (ended.status === "completed") return;
      const text = Buffer.from(ended.verifiable_result ?? "", "base64").toString();
      failed.push((JSON.parse(text) as VerifiableResult).data.error);
    };
    const status = async () => {
      const answer = await api.call("GET", "/local/status");
      if (answer.status !== 200) failed.push(answer.body);
    };

    let left = creates;
    let answered = 0;
    const client = async () => {
      for (; left > 0; left -= 1) {
        await Promise.all([create(left), query(left), status()]);
        answered += 1;
      }
    };
    let reorganizations = 0;
    const reorganizer = async () => {
      for (let tries = 0; left > 0; tries += 1) {
        // Anvil refuses some of them while the service makes a block.
        await rpc(api, "anvil_reorg", [1 + (tries % DEEPEST), []]).then(
          () => {
            reorganizations += 1;
          },
          () => undefined,
        );
        // One after another without a pause would leave a slow machine no time in which the chain has its newest block.
        const before = answered;
        await eventually("an answer between two reorganizations", () => answered > before || left <= 0, {
          pauseMs: 5,
        });
      }
    };
    await Promise.all([reorganizer(), ...Array.from({ length: AT_ONCE }, client)]);
    should(failed).eql([]);
    reorganizations.should.be.above(creates / 10);
  });
});
