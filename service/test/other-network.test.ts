import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import should from "should";
import type { Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { callOf, signedOperation } from "./signed-operation.ts";
import { startTestService, temporaryFolder } from "./support.ts";

describe("a data directory that was used with another network", function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  after(() => folder.dispose());

  it("has drafts that cannot be finalized on this one", async () => {
    const signer = localEcdsaSigner(generatePrivateKey());
    const first = await startTestService({ dataDir: folder.path });
    const channelId = await first.api.channel();
    const { wallet_id } = await first.api.ok<Wallet>("POST", "/wallets", {
      ...{ name: "wallet", wallet_owner_address: signer.address, wallet_type: "ecdsa" },
      ...{ chain_selector: first.api.ready.chain_selector, allowed_ecdsa_signers: [signer.address] },
    });
    const { address } = await first.api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    const signed = await signedOperation(first.api, signer, address, [
      callOf(first.api, "Counter", "increment"),
    ]);
    const path = `/channels/${channelId}/operations`;
    const { operation_id } = await first.api.ok<Operation>("POST", path, { ...signed, signature: undefined });
    await first.dispose();
    const database = new DatabaseSync(join(folder.path, "service.sqlite"));
    const { changes } = database.prepare("UPDATE operations SET chain_selector = '1'").run();
    database.close();
    should(changes).equal(1);

    const second = await startTestService({ dataDir: folder.path });
    const { digest } = await second.api.ok<Operation>("GET", `${path}/${operation_id}`);
    const finalized = { status: "accepted", digest, signature: `0x${"11".repeat(64)}1b` };
    const answer = await second.api.call("PATCH", `${path}/${operation_id}`, finalized);
    answer.should.containDeep({ status: 409, body: { type: "CONFLICT", code: "CHAIN_UNAVAILABLE" } });
    await second.dispose();
  });
});
