import { generateKeyPairSync } from "node:crypto";
import should from "should";
import { generatePrivateKey, localEcdsaSigner, localRsaSigner } from "../../src/index.ts";
import type { Message } from "../support/flow-harness.ts";
import type { FlowNode } from "../support/node-red.ts";
import { manageNode } from "../support/nodes.ts";
import {
  COMPANY,
  checkCompany,
  checkError,
  isRed,
  KEPT,
  OperationHarness,
} from "../support/operation-harness.ts";
import {
  call,
  operationNode,
  signerNode,
  submitNode,
  value,
  walletNode,
} from "../support/operation-nodes.ts";

type Record_ = Record<string, unknown>;

const rsaKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();

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

    it("creates one for the signer, waits until it is deployed, finds, gets, lists, renames and archives it", async () => {
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
      const texts = harness.nodeRed.statuses("make").map(({ code }) => code);
      should(texts[0]).equal("working");
      should(texts.at(-1)).equal("deployed");
      const found = await good("make", { description: "by a test" }, ["found"]);
      should(found.crec).deepEqual({ ...made.crec, found: true });

      const byName = await good("get", { payload: "managed-wallet" });
      const byId = await good("get", { payload: byName.crec?.walletId });
      should(byId.payload).deepEqual(byName.payload);
      const listed = await harness.ask("list", { ...COMPANY });
      checkCompany(listed, ["status"]);
      should(listed.payload).containDeep([{ name: "harness-wallet" }, { name: "managed-wallet" }]);

      const renamed = await good("rename", { payload: "managed-wallet", newName: "renamed-wallet" });
      should(renamed.payload).have.property("name", "renamed-wallet");
      const archived = await good("archive", { payload: "renamed-wallet" });
      should(archived.crec).have.properties({ walletId: renamed.crec?.walletId, status: "archived" });
    });

    it("reports a configuration that is wrong", async () => {
      for (const id of ["make-broken", "make-listed", "make-null"]) {
        const caught = await harness.refuse(id, { ...KEPT });
        checkError(caught, id, "INVALID_FIELD", "configuration of the wallet must be a JSON object");
      }
      const caught = await harness.refuse("make-rounded", { ...KEPT });
      checkError(caught, "make-rounded", "INVALID_FIELD", "would be rounded. Write it as text");
    });

    it("reports errors, and handles the next message", async () => {
      await harness.refusedThenFine(
        "get",
        ["WALLET_NOT_FOUND", '"nobody"'],
        { payload: "nobody" },
        { payload: "harness-wallet" },
      );
      const taken = { payload: "harness-wallet", newName: "twice" };
      await harness.ask("make", { description: "by a test" });
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

  describe("a wallet of an RSA signer", () => {
    const rsa = (id: string, properties: Record_ = {}) =>
      walletNode(harness.service.ready, { id, wallet: `${id}-wallet`, signer: "rsa-signer", ...properties });
    const calls = [call("counter", "add(uint256)", value("1"))];
    const wallets = { "plain-rsa": "rsa", "protected-rsa": "protected_rsa" };

    beforeEach(() => deployWith([]));

    /** `more` are wallets, each with a node that submits with it. */
    async function deployWith(more: readonly FlowNode[]): Promise<void> {
      const submit = (wallet: string) => submitNode({ id: `submit-${wallet}`, wallet, calls });
      await harness.deploy(
        [
          ...["plain-rsa", "protected-rsa", "unowned", "of-ecdsa"].map((wallet): [FlowNode, number] => [
            manageNode("wallets.create-or-find", { id: `make-${wallet}`, wallet }),
            1,
          ]),
          ...["plain-rsa", "protected-rsa", ...more.map(({ id }) => id)].map((wallet): [FlowNode, number] => [
            submit(wallet),
            2,
          ]),
          [submitNode({ id: "draft", mode: "draft", wallet: "plain-rsa", calls }), 2],
          [operationNode("finalize", { id: "finalize-ecdsa" }), 1],
          [operationNode("finalize", { id: "finalize-rsa", signer: "rsa-signer" }), 1],
        ],
        [
          signerNode(undefined, {
            ...{ id: "rsa-signer", kind: "local-rsa", credentials: { rsaKey: rsaKey.replaceAll("\n", " ") } },
          }),
          rsa("plain-rsa", { owner: harness.owner }),
          rsa("protected-rsa", { owner: harness.owner, walletType: "protected_rsa" }),
          rsa("unowned"),
          rsa("of-ecdsa", { owner: harness.owner, walletType: "ecdsa" }),
          ...more,
        ],
      );
    }

    for (const [wallet, type] of Object.entries(wallets)) {
      it(`is created with its key, waited for, and executes operations: ${type}`, async () => {
        const made = await harness.ask(`make-${wallet}`, {});
        should(made.payload).have.properties({
          ...{ wallet_type: type, status: "deployed", wallet_owner_address: harness.owner },
          allowed_rsa_signers: [localRsaSigner(rsaKey).publicKey],
        });
        const done = await harness.ask(`submit-${wallet}`, {});
        should(done.crec).have.properties({ status: "confirmed_latest" });
        should((done.payload as Record_).signature).match(/^0x[0-9a-f]{512}$/);
      });
    }

    it("executes a draft that an RSA signer finalizes, and refuses one of another signer", async () => {
      await harness.ask("make-plain-rsa", {});
      const { crec = {} } = await harness.ask("draft", {});
      const caught = await harness.refuse("finalize-ecdsa", { ...KEPT, crec: { ...crec, ...KEPT.crec } });
      checkError(
        caught,
        "finalize-ecdsa",
        "SIGNER_TYPE_DIFFERS",
        "takes signatures of RSA keys only. Nothing was",
      );
      const done = await harness.ask("finalize-rsa", { crec });
      should(done.crec).have.property("status", "accepted");
    });

    it("is not created without an owner, or with a type that its key does not fit", async () => {
      checkError(await harness.refuse("make-unowned", { ...KEPT }), "make-unowned", "WALLET_OWNER_MISSING");
      const caught = await harness.refuse("make-of-ecdsa", { ...KEPT });
      checkError(
        caught,
        "make-of-ecdsa",
        "SIGNER_TYPE_DIFFERS",
        "has an RSA key, and the wallet is of type ecdsa",
      );
    });

    it("signs nothing for a wallet of another type, given by its name, its address or its type", async () => {
      const nobody = "0x2222222222222222222222222222222222222222";
      const made = await harness.ask("make-plain-rsa", {});
      const address = String(made.crec?.walletAddress);
      await deployWith([
        rsa("by-name", { wallet: "harness-wallet" }),
        rsa("by-address", { wallet: harness.wallet }),
        rsa("by-type", { wallet: nobody, walletType: "ecdsa" }),
        rsa("other-way", { wallet: address, signer: "signer" }),
      ]);
      for (const wallet of ["by-name", "by-address", "by-type", "other-way"]) {
        const before = harness.proxy.passed.length;
        const id = `submit-${wallet}`;
        checkError(await harness.refuse(id, { ...KEPT }), id, "SIGNER_TYPE_DIFFERS", "Nothing was signed.");
        const sent = harness.proxy.passed.slice(before).filter(({ method }) => method === "POST");
        should(sent).be.empty();
      }
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
        should(problem).equal('Enter "Private key".');
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
