import { readdir } from "node:fs/promises";
import { join } from "node:path";
import should from "should";
import type { ReadyInfo } from "../../service/src/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/index.ts";
import { type Owned, ownNodeRed } from "../support/borrowed-node-red.ts";
import { builtNodes } from "../support/built.ts";
import { Custodian } from "../support/custodian.ts";
import { eventually } from "../support/eventually.ts";
import { harnessFlow, type Message } from "../support/flow-harness.ts";
import { channelNode, contractNode } from "../support/nodes.ts";
import { signerNode, TOKEN_ABI, walletNode } from "../support/operation-nodes.ts";
import { type Asked, StandIn } from "../support/stand-in.ts";
import { putFiles } from "./dump.ts";
import { LATEST, RECORDS } from "./records.ts";
import { waitingConfig, waitingNodes } from "./waiting-flow.ts";

const settings = join(import.meta.dirname, "checkout-settings.cjs");

type Wait = { id: string; about: Record<string, Record<string, string>>; msg: Message };

for (const { commit, waits, service: recorded } of RECORDS) {
  describe(`what nodes of ${commit} waited for`, function () {
    this.timeout(120_000);

    const kept = Object.fromEntries(
      Object.entries(waits).map(([path, text]) => [path.split("/")[0], JSON.parse(text) as Wait]),
    );
    let service: StandIn;
    let custodian: Custodian;
    let own: Owned;

    before(async () => {
      await builtNodes();
      const key = generatePrivateKey();
      const { address } = localEcdsaSigner(key);
      custodian = await Custodian.start(key);
      service = await StandIn.start();
      service.answer = ({ method, path }) => {
        const body = recorded.answers[path] ?? { events: [], has_more: false };
        return method === "GET" ? { status: 200, body } : { status: 503, body: {} };
      };
      own = await ownNodeRed({}, { settings });
      const files = Object.entries(waits).map(([path, text]) => [`crec-waits/${path}`, text]);
      await putFiles(Object.fromEntries(files), own.userDir.path);
      const { contracts } = recorded;
      const chain_selector = kept.query?.about.request?.chain_selector;
      const ready = { chain_selector, contracts } as unknown as ReadyInfo;
      const config = [
        { ...recorded.connection, baseUrl: service.url, credentials: { apiKey: "key" } },
        channelNode(),
        contractNode(ready, { id: "token", abi: TOKEN_ABI }),
        signerNode(key),
        walletNode(ready),
        ...waitingConfig(ready, { url: custodian.url, address }),
      ];
      await own.nodeRed.deploy(harnessFlow(config, waitingNodes()));
    });
    after(async () => {
      await own?.giveBack();
      await custodian?.close();
      await service?.close();
    });

    /** The message that left the node, as it was with what it is now; its file is gone then. */
    const goesOn = async (node: string, crec: object): Promise<Message> => {
      const { msg } = kept[node] as Wait;
      const { value } = await own.nodeRed.shows(
        ({ name, value }) => /:0$|^error$/.test(name) && (value as Message).probe === msg.probe,
      );
      const left = value as Message;
      should(left.error).be.undefined();
      should(left).match({ kept: "as it was", crec: { keep: "me", resumed: true, ...crec } });
      await eventually("no file", async () => (await filesOf(node)).length === 0);
      return left;
    };
    const filesOf = (node: string) => readdir(join(own.userDir.path, "crec-waits", node)).catch(() => []);
    const verified = { verification: { verified: true } };

    it("was an operation that submit operation has sent, which is executed meanwhile", async () => {
      const { operation = {} } = kept.submit?.about ?? {};
      const ids = { operationId: operation.operation_id, operationKey: "order 1" };
      await goesOn("submit", { ...ids, status: "confirmed_latest", ...verified });
    });

    it("was an operation of the node operation", async () => {
      const { operation = {} } = kept.wait?.about ?? {};
      const status = /^confirmed/;
      await goesOn("wait", { operationId: operation.operation_id, status, ...verified });
    });

    it("was a query that is answered meanwhile", async () => {
      const { payload } = await goesOn("query", { status: "completed", ...verified });
      should(payload).match(/^\d+$/);
    });

    it("was a wallet that is deployed meanwhile", async () => {
      await goesOn("manage", { walletId: kept.manage?.id, status: "deployed", found: false });
    });

    it("was a watcher that is active meanwhile", async () => {
      await goesOn("watcher", { watcherId: kept.watcher?.id, status: "active" });
    });

    it("was a signature, for which the key service is asked again by the same digest", async () => {
      const { prepared = {} } = kept.asked?.about ?? {};
      const request = await custodian.asked(1);
      should(request.digest).equal(prepared.digest);
      should(await filesOf("asked")).have.length(1);
      await custodian.approve(request);
      const sent = await service.until(() => service.asked.find(({ method }) => method === "POST"));
      should(sent.path).equal(`/channels/${prepared.channelId}/operations`);
      should(JSON.parse(String(sent.body))).match({
        wallet_operation_id: prepared.walletOperationId,
        signature: request.signature,
        ...{ ...(prepared.request as unknown as object), deadline: 0 },
      });
    });

    // The older one had no drafts that people approve.
    if (commit !== LATEST.commit) return;

    it("was a draft that people approve, which they are shown", async () => {
      const { draft = {} } = kept.draft?.about ?? {};
      const { operation_id: id } = draft.operation as unknown as Record<string, string>;
      const decide = async (digest: unknown): Promise<string> => {
        const body = JSON.stringify({ key: `${draft.channelId}/${id}`, digest, isApproved: true });
        const headers = { "content-type": "application/json", "accept-language": "en" };
        const answer = await own.nodeRed.fetch("crec/operation/decide", { method: "POST", headers, body });
        return answer.text();
      };
      await own.nodeRed.status("draft", "pending_signature");
      should(await decide(`0x${"00".repeat(32)}`)).match(/not the one that you were shown/);
      // The service does not answer, so neither does this.
      decide(draft.digest).catch(() => {});
      const isDraft = ({ method, path }: Asked) => method !== "GET" && path.includes(String(id));
      const sent = await service.until(() => service.asked.find(isDraft));
      should(JSON.parse(String(sent.body)).signature).match(/^0x[0-9a-f]{130}$/);
    });
  });
}
