import should from "should";
import { generatePrivateKey, localEcdsaSigner } from "../../src/index.ts";
import type { Message } from "../support/flow-harness.ts";
import { manageNode } from "../support/nodes.ts";
import {
  COMPANY,
  checkCompany,
  checkError,
  isRed,
  KEPT,
  OperationHarness,
} from "../support/operation-harness.ts";
import { walletNode } from "../support/operation-nodes.ts";

type Record_ = Record<string, unknown>;

/** Wallets in the node manage, and the requests of the signer's form. */
describe("wallets and signers", function () {
  this.timeout(120_000);

  let harness: OperationHarness;
  const malformedKey = `${generatePrivateKey()}5eed`;

  before(async () => {
    harness = await OperationHarness.start();
  });

  after(async () => {
    await harness?.close();
  });

  describe("manage, of wallets", () => {
    before(() =>
      harness.deploy(
        [
          [manageNode("wallets.list", { id: "list" }), 1],
          [manageNode("wallets.get", { id: "get" }), 1],
          [
            manageNode("wallets.create-or-find", {
              ...{ id: "make", wallet: "managed", description: "description", descriptionType: "msg" },
            }),
            1,
          ],
          [manageNode("wallets.create-or-find", { id: "make-broken", wallet: "broken" }), 1],
          [manageNode("wallets.create-or-find", { id: "make-listed", wallet: "listed" }), 1],
          [manageNode("wallets.create-or-find", { id: "make-null", wallet: "nothing" }), 1],
          [manageNode("wallets.create-or-find", { id: "make-rounded", wallet: "rounded" }), 1],
          [manageNode("wallets.rename", { id: "rename", newName: "newName", newNameType: "msg" }), 1],
          [manageNode("wallets.archive", { id: "archive" }), 1],
        ],
        [
          walletNode(harness.service.ready, {
            ...{ id: "managed", wallet: "managed-wallet", configuration: '{"policy": {"daily": "5"}}' },
          }),
          walletNode(harness.service.ready, { id: "broken", wallet: "a-list", configuration: "[1]" }),
          walletNode(harness.service.ready, { id: "listed", wallet: "a-list", configuration: [1] }),
          walletNode(harness.service.ready, { id: "nothing", wallet: "a-null", configuration: null }),
          walletNode(harness.service.ready, {
            ...{ id: "rounded", wallet: "a-number", configuration: '{"most": 12345678901234567890}' },
          }),
        ],
      ),
    );

    const CREC_WALLET = ["status", "walletAddress", "walletId"];
    const good = async (id: string, message: Message, more: readonly string[] = []) => {
      const msg = await harness.ask(id, { ...COMPANY, ...message });
      checkCompany(msg, [...CREC_WALLET, ...more]);
      should(msg.topic).equal("mine");
      return msg;
    };

    it("creates one for the signer and waits until it is deployed, then finds it", async () => {
      const made = await good("make", { description: "by a test" }, ["found"]);
      should(made.payload).have.properties({
        ...{ name: "managed-wallet", description: "by a test", status: "deployed", wallet_type: "ecdsa" },
        ...{ wallet_owner_address: harness.owner, allowed_ecdsa_signers: [harness.owner] },
      });
      should((made.payload as Record_).configuration).deepEqual({
        ...{ allowed_signers: [harness.owner], policy: { daily: "5" } },
      });
      should(made.crec).have.properties({ status: "deployed", found: false });
      should(made.crec?.walletAddress).equal((made.payload as Record_).address);
      const texts = harness.nodeRed.statuses("make").map(({ text }) => text);
      should(texts[0]).equal("manage.status.working");
      should(texts.at(-1)).equal("deployed");
      const found = await good("make", {}, ["found"]);
      should(found.crec).deepEqual({ ...made.crec, found: true });
    });

    it("reports a configuration that is wrong", async () => {
      for (const id of ["make-broken", "make-listed", "make-null"]) {
        const caught = await harness.refuse(id, { ...KEPT });
        checkError(caught, id, "INVALID_FIELD", "configuration of the wallet must be a JSON object");
      }
      const caught = await harness.refuse("make-rounded", { ...KEPT });
      checkError(caught, "make-rounded", "INVALID_FIELD", "would be rounded. Write it as text");
    });

    it("gets one by name and by id, and lists all", async () => {
      const byName = await good("get", { payload: "managed-wallet" });
      const byId = await good("get", { payload: byName.crec?.walletId });
      should(byId.payload).deepEqual(byName.payload);
      const listed = await harness.ask("list", { ...COMPANY });
      checkCompany(listed, ["status"]);
      should(listed.payload).containDeep([{ name: "harness-wallet" }, { name: "managed-wallet" }]);
    });

    it("renames and archives one", async () => {
      const renamed = await good("rename", { payload: "managed-wallet", newName: "renamed-wallet" });
      should(renamed.payload).have.property("name", "renamed-wallet");
      const archived = await good("archive", { payload: "renamed-wallet" });
      should(archived.crec).have.properties({ walletId: renamed.crec?.walletId, status: "archived" });
    });

    it("reports errors, and handles the next message", async () => {
      await harness.refusedThenFine(
        "get",
        ["WALLET_NOT_FOUND", '"nobody"'],
        { payload: "nobody" },
        { payload: "harness-wallet" },
      );
      const taken = { payload: "harness-wallet", newName: "twice" };
      await harness.ask("make", {});
      await harness.refusedThenFine(
        "rename",
        ["WALLET_ALREADY_EXISTS"],
        { payload: "managed-wallet", newName: "harness-wallet" },
        { payload: "managed-wallet", newName: taken.newName },
      );
      const { crec } = await harness.ask("archive", { payload: taken.newName });
      const caught = await harness.refuse("archive", { ...KEPT, payload: crec?.walletId });
      checkError(caught, "archive", "WALLET_ALREADY_ARCHIVED");
      await harness.nodeRed.status("archive", isRed);
    });
  });

  describe("the signer's form", () => {
    const post = (path: string, body: unknown = {}) =>
      harness.nodeRed.fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });

    it("gets a new key with its address, each time another one", async () => {
      const made = await Promise.all([1, 2].map(async () => (await post("crec/signer/generate")).json()));
      const keys = made.map(({ privateKey, address }) => {
        should(privateKey).match(/^0x[0-9a-f]{64}$/);
        should(localEcdsaSigner(privateKey).address).equal(address);
        return privateKey;
      });
      should(keys[0]).not.equal(keys[1]);
      const captured = harness.nodeRed.log;
      for (const made of keys) should(captured.includes(made.slice(2))).be.false();
    });

    it("gets the address of a typed key, with or without 0x and blanks", async () => {
      for (const typed of [
        harness.key,
        harness.key.slice(2),
        ` ${harness.key.toUpperCase().replace("0X", "0x")} `,
      ]) {
        const answer = await post("crec/signer/address", { privateKey: typed });
        should(await answer.json()).deepEqual({ address: harness.owner });
      }
    });

    it("gets an error for text that is not a key, which does not repeat it", async () => {
      for (const privateKey of ["secret", malformedKey, `0x${"0".repeat(64)}`, `0x${"f".repeat(64)}`, 1]) {
        const answer = await post("crec/signer/address", { privateKey });
        should(answer.status).equal(200);
        const { problem } = (await answer.json()) as { problem: string };
        should(problem).match(/^[\w ].*64 hex digits.*\.$/);
        should(problem).not.containEql("5eed");
      }
      const empty = ["", null, [harness.key]].map((privateKey) => ({ privateKey }));
      for (const nothing of [...empty, {}, undefined]) {
        const { problem } = (await (await post("crec/signer/address", nothing)).json()) as {
          problem: string;
        };
        should(problem).match(/private ?key.* is missing/i);
      }
    });

    it("gets the address of a deployed signer, and an empty one without a signer", async () => {
      const addressOf = async (id: string) =>
        (await harness.nodeRed.fetch(`crec/signer/address/${id}`)).json();
      should(await addressOf("signer")).deepEqual({ address: harness.owner });
      should(await addressOf("undeployed")).deepEqual({ address: "" });
      should(await addressOf("token")).deepEqual({ address: "" });
      const stored = await (await harness.nodeRed.fetch("credentials/crec-signer/signer")).text();
      const has = Object.entries(JSON.parse(stored)).filter(([, value]) => value !== false);
      should(has).deepEqual([["has_privateKey", true]]);
    });
  });

  describe("afterwards", () => {
    it("Node-RED runs, logged no unexpected error, and has shown no private key", async () => {
      harness.checkRunsWell();
      await harness.checkNeverShown([harness.key, malformedKey]);
    });
  });
});
