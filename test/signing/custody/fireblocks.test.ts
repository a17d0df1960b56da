import { generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import should from "should";
import type { SigningState } from "../../../src/index.ts";
import {
  type CustodySigner,
  type FireblocksSignerOptions,
  fireblocksSigner,
} from "../../../src/signing/custody/index.ts";
import { recoverSigner, signRequestOf, signWith } from "../../../src/signing/index.ts";
import { errorOf } from "../../http/support.ts";
import { FireblocksServer } from "../../support/fireblocks.ts";
import { StandIn } from "../../support/stand-in.ts";
import { operation, request } from "./sample-request.ts";

/** Of all servers here: a pair takes longer to make than most tests. */
const apiKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const HIDDEN = { status: 404, body: { message: "Transaction not found" } };

describe("a signer of Fireblocks", () => {
  let server: FireblocksServer;
  const closing: Array<() => Promise<void>> = [];

  beforeEach(async () => {
    server = await FireblocksServer.start({ apiKeys });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await server.close();
  });

  async function signerOf(options: Partial<FireblocksSignerOptions> = {}): Promise<CustodySigner> {
    const signer = await fireblocksSigner({ ...server.options, pollMs: 1, ...options });
    closing.push(() => signer.close());
    return signer;
  }

  /** A server whose requests to sign wait for people. */
  async function withPeople(): Promise<void> {
    await server.close();
    server = await FireblocksServer.start({ apiKeys, isApprovedByPeople: true });
  }

  const posts = () => server.asked.filter(({ method }) => method === "POST").length;

  describe("signs", () => {
    const forms = {
      "v 0 or 1": {},
      "v 27 or 28": { isEthereumV: true },
      "a high s": { isHighS: true },
    };
    for (const [form, given] of Object.entries(forms)) {
      it(`where the answer has ${form}`, async () => {
        server.form = given;
        const signature = await signWith(await signerOf(), request);
        should(recoverSigner(request.digest, signature)).equal(server.address);
        should(server.problems).be.empty();
      });
    }

    it("with the key of a derivation path", async () => {
      const signer = await signerOf({ source: { derivationPath: server.derivationPath } });
      should(signer.address).equal(server.address);
      await signWith(signer, request);
      should(server.problems).be.empty();
    });

    it("typed data, which approvers and policies see", async () => {
      await signWith(await signerOf({ sends: "typed-data" }), request);
      const [made] = server.transactions;
      should(made?.operation).equal("TYPED_MESSAGE");
      should(made?.extraParameters.rawMessageData.messages[0]?.content).deepEqual(request.typedData);
    });

    it("with what is signed, in words", async () => {
      await signWith(await signerOf({ note: "Payroll" }), request);
      should(server.transactions[0]?.note).equal(
        "Payroll · Operation 7 of wallet 0x1111111111111111111111111111111111111111 on chain 31337, without a deadline: call 0xa9059cbb of 0x2222222222222222222222222222222222222222 with 1 wei",
      );
    });

    it("with a description that fits", async () => {
      await signWith(await signerOf({ note: "Payroll ".repeat(100) }), request);
      should(server.transactions[0]?.note).have.length(500);
      const other = signRequestOf({ ...operation, id: "8" }, 31337);
      await signWith(await signerOf(), other);
      should(server.transactions[1]?.note).startWith("Operation 8 of wallet");
    });

    it("where the request is completed at once: the signature comes with the next answer", async () => {
      server.states = ["COMPLETED"];
      await signWith(await signerOf(), request);
      should(server.problems).be.empty();
    });

    it("and reports each state, with those that wait for a person", async () => {
      server.states = ["SUBMITTED", "SUBMITTED", "QUEUED", "QUEUED", "PENDING_SIGNATURE", "COMPLETED"];
      const states: SigningState[] = [];
      await signWith(await signerOf(), request, { onState: (state) => states.push(state) });
      should(states).deepEqual([
        { state: "SUBMITTED", isForPerson: false },
        { state: "QUEUED", isForPerson: false },
        { state: "PENDING_SIGNATURE", isForPerson: true },
        { state: "COMPLETED", isForPerson: false },
      ]);
    });

    it("at an address with the version, as Fireblocks writes it", async () => {
      await signWith(await signerOf({ url: `${server.url}/v1/` }), request);
    });
  });

  describe("has the address", () => {
    it("of the asset, where the API user may not read public keys", async () => {
      server.mayReadKeys = false;
      const signer = await signerOf();
      should(signer.address).equal(server.address);
      await signWith(signer, request);
    });

    it("not of a derivation path, where the API user may not read public keys", async () => {
      server.mayReadKeys = false;
      await should(signerOf({ source: { derivationPath: server.derivationPath } })).be.rejectedWith({
        code: "SIGNER_UNAUTHORIZED",
        message: /Give the API user one of them, or choose a vault account/,
      });
    });

    it("not of a key of another curve", async () => {
      server.algorithm = "MPC_EDDSA_ED25519";
      await should(signerOf()).be.rejectedWith({
        code: "SIGNER_KEY_UNSUITABLE",
        message: /is of the kind MPC_EDDSA_ED25519.*Choose an asset of Ethereum/,
      });
    });

    it("not of an account that does not exist", async () => {
      await should(signerOf({ source: { vaultAccountId: "8", assetId: "ETH" } })).be.rejectedWith({
        code: "SIGNER_KEY_UNSUITABLE",
      });
    });
  });

  describe("says why there is no signature:", () => {
    for (const [status, subStatus, code, message] of [
      ["REJECTED", "REJECTED_BY_USER", "SIGNER_REFUSED", /^A person or a screening refused/],
      [
        "BLOCKED",
        "BLOCKED_BY_POLICY",
        "SIGNER_REFUSED",
        /^A policy forbids this signature\. Ask the person who manages/,
      ],
      ["CANCELLED", "CANCELLED_BY_USER", "SIGNER_REFUSED", /^Somebody cancelled/],
      ["FAILED", "SIGNING_ERROR", "SIGNER_UNAVAILABLE", /^The request to sign failed/],
      ["FAILED", "", "SIGNER_UNAVAILABLE", /Fireblocks: FAILED, transaction /],
      ["TIMEOUT", "", "SIGNER_TIMEOUT", /^Nobody approved or signed in the time/],
    ] as const) {
      it(`${status} ${subStatus}`, async () => {
        await withPeople();
        const expected = { code, message, state: subStatus || status };
        const signing = should(signWith(await signerOf(), request)).be.rejectedWith(expected);
        server.end(await server.waiting(), status, subStatus);
        await signing;
        should(posts()).equal(1);
      });
    }
  });

  it("does not ask without end where each request for the digest has failed", async () => {
    const signer = await signerOf();
    const used = { status: 400, body: { code: 1438, message: "External transaction id was used" } };
    const failed = { id: "a".repeat(2_000), status: "FAILED", subStatus: "b\n".repeat(1_000) };
    server.faults.push(used, ...Array.from({ length: 1_000 }, () => ({ status: 200, body: failed })));
    const error = await errorOf(signWith(signer, request, { signal: AbortSignal.timeout(90_000) }));
    should(error).have.property("code", "SIGNER_UNAVAILABLE");
    should(error.message.length).be.below(1_000);
    should(error.message).not.containEql("\n");
    should(server.asked.length).be.below(100);
  });

  describe("never asks people twice:", () => {
    const posts = () => server.asked.filter(({ method }) => method === "POST").length;

    it("a lost answer", async () => {
      const signer = await signerOf();
      server.faults.push("cut after");
      await signWith(signer, request);
      should(server.transactions).have.length(1);
    });

    it("an answer of a proxy, while the request arrived", async () => {
      const signer = await signerOf();
      server.faults.push("cut after", { status: 502, body: "<html>Bad gateway</html>" });
      await signWith(signer, request);
      should(server.transactions).have.length(1);
    });

    it("a request that is not visible at once", async () => {
      const signer = await signerOf();
      server.faults.push("cut after", HIDDEN, HIDDEN);
      await signWith(signer, request);
      should(server.transactions).have.length(1);
      should(posts()).equal(1);
    });

    it("a request that did not arrive, unless they are told to ask again", async () => {
      const signer = await signerOf();
      server.faults.push("cut before");
      const lost = { code: "SIGNER_UNAVAILABLE", retryable: true, isAsked: true };
      await should(signWith(signer, request)).be.rejectedWith(lost);
      should(posts()).equal(1);
      await signWith(signer, request);
      should(server.transactions).have.length(1);
    });

    for (const [how, body] of [
      ["code", { code: 1438, message: "Bad request" }],
      ["words", { message: "This externalTxId was used" }],
    ] as const) {
      it(`a request that never becomes visible, refused by its ${how}`, async () => {
        const signer = await signerOf();
        const before = server.asked.length;
        server.faults.push({ status: 400, body }, ...Array.from({ length: 5 }, () => HIDDEN));
        await should(signWith(signer, request)).be.rejectedWith({
          code: "SIGNER_UNAVAILABLE",
          message: new RegExp(body.message),
        });
        should(server.asked.length - before).equal(6);
        should(server.transactions).be.empty();
      });
    }

    it("a restart while they decide", async () => {
      await withPeople();
      const first = await signerOf();
      const interrupted = should(signWith(first, request)).be.rejectedWith({ code: "CLIENT_CLOSED" });
      const transaction = await server.waiting();
      await first.close();
      await interrupted;
      const resumed = signWith(await signerOf(), request);
      server.approve(transaction);
      should(recoverSigner(request.digest, await resumed)).equal(server.address);
      should(server.transactions).have.length(1);
    });

    it("an approval after the wait has ended", async () => {
      await withPeople();
      const signer = await signerOf();
      const ending = new AbortController();
      const ended = should(signWith(signer, request, { signal: ending.signal })).be.rejectedWith({
        code: "ABORTED",
        cause: "enough",
      });
      const transaction = await server.waiting();
      ending.abort("enough");
      await ended;
      server.approve(transaction);
      should(recoverSigner(request.digest, await signWith(signer, request))).equal(server.address);
      should(server.transactions).have.length(1);
    });

    it("two calls at the same time", async () => {
      const signer = await signerOf();
      const [one, other] = await Promise.all([signWith(signer, request), signWith(signer, request)]);
      should(one).equal(other);
      should(server.transactions).have.length(1);
    });

    it("a refusal while Node-RED was stopped is told before they are asked again", async () => {
      await withPeople();
      const first = await signerOf();
      const interrupted = should(signWith(first, request)).be.rejectedWith({ code: "CLIENT_CLOSED" });
      const refused = await server.waiting();
      await first.close();
      await interrupted;
      server.end(refused, "REJECTED", "REJECTED_BY_USER");

      const second = await signerOf();
      await should(signWith(second, request)).be.rejectedWith({ code: "SIGNER_REFUSED" });
      should(server.transactions).have.length(1);
      const asked = should(signWith(second, request)).be.rejectedWith({ state: "CANCELLED" });
      const again = await server.waiting();
      should(again.externalTxId).equal(`${refused.externalTxId}-2`);
      server.end(again, "CANCELLED");
      await asked;

      // Another process is told of the last one only, and the next request has the next number.
      const third = await signerOf();
      await should(signWith(third, request)).be.rejectedWith({ state: "CANCELLED" });
      const last = signWith(third, request);
      const approved = await server.waiting();
      should(approved.externalTxId).equal(`${refused.externalTxId}-3`);
      server.approve(approved);
      await last;
    });

    it("each operation and each key has a request of its own", async () => {
      const other = signRequestOf({ ...operation, id: "8" }, 31337);
      const byPath = { source: { derivationPath: server.derivationPath } };
      for (const options of [{}, byPath, { sends: "typed-data" as const }]) {
        const signer = await signerOf(options);
        await signWith(signer, request);
        await signWith(signer, other);
      }
      server.source.assetId = "ETH";
      await signWith(await signerOf(), request);
      server.source.vaultAccountId = "8";
      await signWith(await signerOf(), request);
      should(new Set(server.transactions.map(({ externalTxId }) => externalTxId)).size).equal(8);
    });
  });

  describe("during an outage", () => {
    it("goes on waiting for people", async () => {
      await withPeople();
      const signing = signWith(await signerOf(), request);
      const transaction = await server.waiting();
      const down = { status: 503, headers: { "retry-after": "0" }, body: "down" };
      const before = server.asked.length;
      server.faults.push(...Array.from({ length: 5 }, () => down), "cut before");
      await server.receiving(before + 7);
      server.approve(transaction);
      await signing;
    });

    it("ends the wait where the credentials were revoked, and goes on with the next call", async () => {
      await withPeople();
      const signer = await signerOf();
      const ended = should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_UNAUTHORIZED" });
      const transaction = await server.waiting();
      server.faults.push({ status: 401, body: { message: "Unauthorized", code: -7 } });
      await ended;
      server.approve(transaction);
      await signWith(signer, request);
      should(server.transactions).have.length(1);
    });

    it("does not start without its key", async () => {
      const down = { status: 500, headers: { "retry-after": "0" }, body: "down" };
      server.faults.push(down, down, down, down);
      await should(signerOf()).be.rejectedWith({ code: "SIGNER_UNAVAILABLE", retryable: true });
    });
  });

  describe("refuses", () => {
    it("a signature of another key", async () => {
      server.form = { isWrongKey: true };
      const { sign } = await signerOf();
      await should(sign(request)).be.rejectedWith({
        code: "SIGNATURE_MISMATCH",
        message: /Check the vault account/,
      });
    });

    it("a signature of typed data that was hashed in another way", async () => {
      const other = signRequestOf({ ...operation, id: "8" }, 31337);
      const signing = signWith(await signerOf({ sends: "typed-data" }), {
        ...request,
        typedData: other.typedData,
      });
      await should(signing).be.rejectedWith({ code: "SIGNATURE_MISMATCH" });
    });

    const wrong: Record<string, [Record<string, unknown>, RegExp]> = {
      "a signature of something else": [
        { content: "11".repeat(32) },
        /^Something other than this operation was signed/,
      ],
      "a signature at another path": [{ derivationPath: [44, 60, 0, 0, 1] }, /at 44\/60\/0\/0\/1 signed/],
      "an answer without a signature": [{ signature: undefined }, /has no valid r and s/],
      "an answer without s": [{ signature: { r: "1", v: 0 } }, /has no valid r and s/],
      "an answer with too long an r": [
        { signature: { r: "1".repeat(65), s: "1", v: 0 } },
        /has no valid r and s/,
      ],
    };
    for (const [what, [signedMessage, message]] of Object.entries(wrong)) {
      it(what, async () => {
        server.signedMessage = signedMessage;
        const expected = { code: "SIGNER_BAD_ANSWER", message };
        await should(signWith(await signerOf(), request)).be.rejectedWith(expected);
      });
    }

    for (const [what, body] of [
      ["an answer of a proxy", "<html>Sign in</html>"],
      ["half an answer", '{"id": "1", "sta'],
      ["an answer without a transaction", {}],
      ["a list", []],
      ["null", "null"],
    ] as const) {
      it(what, async () => {
        const signer = await signerOf();
        server.faults.push({ status: 200, body });
        await should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
        server.faults.push({ status: 200, body });
        await should(signerOf()).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
      });
    }

    it("a huge answer", async () => {
      const signer = await signerOf();
      server.faults.push({ status: 200, body: "x".repeat(2 * 1024 * 1024) });
      await should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
    });

    it("a redirect, which would take the credentials elsewhere", async () => {
      const other = await StandIn.start();
      closing.push(() => other.close());
      const signer = await signerOf();
      server.faults.push({ status: 307, headers: { location: other.url }, body: "" });
      await should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_BAD_ANSWER" });
      should(other.asked).be.empty();
    });
  });

  describe("without access", () => {
    for (const clientBehindS of [90, -90]) {
      it(`says that the clock is wrong (${clientBehindS} s)`, async () => {
        server.clientBehindS = clientBehindS;
        const how = clientBehindS > 0 ? "behind" : "ahead of";
        const error = await should(signerOf()).be.rejected();
        should(error).match({
          code: "SIGNER_UNAUTHORIZED",
          message: /Set the clock, and keep it right with NTP/,
        });
        should(error.message).match(new RegExp(`is (89|90|91) seconds ${how} that of Fireblocks`));
      });
    }

    it("shows no part of the API key that comes back as a state or a kind", async () => {
      for (const part of [server.apiKey.slice(0, 18), server.apiKey.slice(19)]) {
        const states: SigningState[] = [];
        const signer = await signerOf();
        server.states = [part, part, "FAILED"];
        const answer = { id: part, status: "FAILED", subStatus: part };
        server.faults.push(undefined, undefined, { status: 200, body: answer });
        const error = await errorOf(signer.sign(request, { onState: (state) => states.push(state) }));
        should(error).have.property("code", "SIGNER_UNAVAILABLE");
        server.faults.push({ status: 200, body: { algorithm: part } });
        const unsuitable = await errorOf(signerOf());
        should(unsuitable).have.property("code", "SIGNER_KEY_UNSUITABLE");
        should(states).not.be.empty();
        should(inspect([states, error, unsuitable], { depth: 9 })).not.containEql(part);
      }
    });

    it("says what Fireblocks says, and no secret", async () => {
      const other = await FireblocksServer.start();
      closing.push(() => other.close());
      const error = await should(signerOf({ apiKey: other.apiKey })).be.rejected();
      should(error).match({ code: "SIGNER_UNAUTHORIZED", message: /Missing API Key/ });
      const shown = inspect(error, { depth: 9 });
      should(shown).not.containEql(other.apiKey);
      should(shown).not.containEql(server.privateKey.split("\n")[3]);
    });

    it("says that raw signing is not enabled", async () => {
      const signer = await signerOf();
      const before = server.asked.length;
      server.faults.push({ status: 400, body: { message: "Raw signing is not enabled", code: 1401 } });
      await should(signWith(signer, request)).be.rejectedWith({
        code: "SIGNER_UNAVAILABLE",
        message: /Raw signing is not enabled/,
      });
      should(server.asked.length - before).equal(2);
    });

    it("says that the API user may not ask for signatures", async () => {
      const signer = await signerOf();
      const before = server.asked.length;
      server.faults.push({ status: 403, body: { message: "Forbidden", code: -10 } });
      await should(signWith(signer, request)).be.rejectedWith({ code: "SIGNER_UNAUTHORIZED" });
      should(server.asked.length - before).equal(1);
    });
  });

  describe("wants", () => {
    const wrong: Array<[Record<string, unknown>, string]> = [
      [{ url: "ftp://host" }, "url"],
      [{ apiKey: " " }, "apiKey"],
      [{ apiKey: "a\nb" }, "apiKey"],
      [{ privateKey: "secret" }, "privateKey"],
      [{ source: undefined }, "source"],
      [{ source: { vaultAccountId: "a", assetId: "ETH" } }, "source.vaultAccountId"],
      [{ source: { vaultAccountId: "1", assetId: "" } }, "source.assetId"],
      [{ source: { derivationPath: [44, 60] } }, "source"],
      [{ source: { derivationPath: [44, 60, 0, 0, -1] } }, "source"],
      [{ source: { derivationPath: [44, 60, 0, 0, 2 ** 31] } }, "source"],
      [{ source: { derivationPath: [44, 60, 0, 0, 0] }, sends: "typed-data" }, "sends"],
      [{ timeoutMs: 0 }, "timeoutMs"],
      [{ pollMs: Number.NaN }, "pollMs"],
    ];
    for (const [options, path] of wrong) {
      it(`${path}: not ${JSON.stringify(options)}`, async () => {
        await should(signerOf(options as never)).be.rejectedWith({ name: "ArgumentError", path });
        should(server.asked).be.empty();
      });
    }
  });
});
