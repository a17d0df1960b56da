import should from "should";
import { CrecError } from "../../src/errors.ts";
import type { NewOperation } from "../../src/resources/index.ts";
import {
  generatePrivateKey,
  localEcdsaSigner,
  operationDigest,
  operationTypedData,
  recoverSigner,
  type Signer,
} from "../../src/signing/index.ts";
import { errorOf, KEY } from "../http/support.ts";
import {
  ADDRESS,
  type Asked,
  CHAIN,
  conflict,
  ID,
  notFound,
  OTHER_ID,
  page,
  type Reply,
  startFakeService,
} from "./support.ts";

type Service = Awaited<ReturnType<typeof startFakeService>>;
type Stored = Record<string, unknown> & { operation_id: string; status: string };

describe("operations", () => {
  const open: Service[] = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  const signer = localEcdsaSigner(generatePrivateKey());
  const operation: NewOperation = {
    chain_selector: CHAIN,
    address: "0x1111111111111111111111111111111111111111",
    wallet_operation_id: "0042",
    deadline: 0,
    transactions: [{ to: "0x2222222222222222222222222222222222222222", value: "1", data: "0xABCD" }],
  };
  const { address: account, transactions } = operation;
  const signed = { id: "42", account, deadline: 0, transactions };
  const digest = operationDigest(signed, 31337);

  /** Takes an id once, as the service does; `faults` says how each POST goes wrong, if it does. */
  const serve = async (
    faults: Array<"lost before" | "lost after" | "conflict" | undefined> = [],
    stored: Stored[] = [],
  ) => {
    const service = await startFakeService(({ method, path, query, body }: Asked): Reply => {
      if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
      if (path.endsWith("/events/search")) {
        const matching = stored.filter(
          (item) => item.wallet_operation_id === query.get("wallet_operation_id"),
        );
        const events = matching.map((item, offset) => ({
          event_id: item.operation_id,
          headers: { type: "operation.status", offset, proofs: [] },
          payload: { ...item, status_reason: "execution reverted: no balance" },
        }));
        return [200, { events, has_more: false }];
      }
      const found = stored.find(({ operation_id }) => path.endsWith(`/${operation_id}`));
      if (method === "PATCH" && found) {
        found.status = String(body.status);
        return faults.shift() === "lost after" ? "drop" : [200, found];
      }
      if (method === "GET") return found ? [200, found] : notFound("OPERATION_NOT_FOUND");
      const fault = faults.shift();
      if (fault === "lost before") return "drop";
      if (fault === "conflict") return conflict();
      const gone = ["failed", "expired", "cancelled"];
      if (
        stored.some(
          (item) => item.wallet_operation_id === body.wallet_operation_id && !gone.includes(item.status),
        )
      ) {
        return conflict();
      }
      stored.push({
        ...body,
        operation_id: OTHER_ID,
        status: body.signature ? "accepted" : "pending_signature",
      });
      return fault === "lost after" ? "drop" : [201, { operation_id: OTHER_ID }];
    });
    open.push(service);
    const posts = () => service.asked.filter(({ method }) => method === "POST");
    return { ...service, stored, posts };
  };

  const startOther = async (reply: (asked: Asked) => Reply) => {
    const service = await startFakeService(reply);
    open.push(service);
    return service;
  };

  describe("send", () => {
    it("waits between the signature and the request where that is asked, and sends nothing where that fails", async () => {
      const { client, posts } = await serve();
      const turn = Promise.withResolvers<void>();
      const sending = client.operations.send(ID, operation, signer, { beforeSubmit: () => turn.promise });
      const refused = client.operations.send(ID, operation, signer, {
        beforeSubmit: () => Promise.reject(new Error("no turn")),
      });
      await should(refused).be.rejectedWith("no turn");
      should(posts()).be.empty();
      turn.resolve();
      await sending;
      should(posts()).have.length(1);
    });

    it("signs, sends in one form, and reads the operation back", async () => {
      const { client, posts } = await serve();
      const sent = await client.operations.send(ID, operation, signer);
      should(sent).match({ digest, found: false, operation: { operation_id: OTHER_ID, status: "accepted" } });
      const [post] = posts();
      should(recoverSigner(digest, post?.body.signature as `0x${string}`)).equal(signer.address);
      should(post?.body).match({
        wallet_operation_id: "42",
        deadline: 0,
        transactions: [{ value: "1", data: "0xabcd" }],
      });
      should(Object.keys(post?.body ?? {}).sort()).deepEqual([
        "address",
        "chain_selector",
        "deadline",
        "signature",
        "transactions",
        "wallet_operation_id",
      ]);
    });

    it("that cannot be read back is certain only where its answer names it", async () => {
      const forbidden = [403, { type: "FORBIDDEN", message: "not with this key" }];
      for (const failure of [[500, {}], forbidden, notFound("OPERATION_NOT_FOUND"), "drop"] as Reply[]) {
        let answered: object = { operation_id: OTHER_ID, wallet_operation_id: "42" };
        const { client } = await startOther(({ method, path }) => {
          if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
          return method === "POST" ? [201, answered] : failure;
        });
        // A 404 is waited out no longer than that.
        const soon = { timeoutMs: 500 };
        const sent = await client.operations.send(ID, operation, signer, soon);
        should(sent).match({ digest, operation: { operation_id: OTHER_ID, status: "accepted", digest } });
        const draft = await client.operations.draft(ID, operation, soon);
        should(draft.operation).match({ status: "pending_signature", signature: null });
        answered = { operation_id: OTHER_ID };
        const error = await errorOf(client.operations.send(ID, operation, signer, soon));
        should(error).have.property("code", "BAD_RESPONSE");
        should(error.message)
          .match(/^The service answered with an operation id only, and that operation could not be read\. /)
          .and.match(
            new RegExp(`Operation ${OTHER_ID}\\. The operation may have been accepted nevertheless`),
          );
      }
    });

    it("that is repeated is looked for before anyone is asked to sign it", async () => {
      const late = { ...operation, deadline: Math.floor(Date.now() / 1000) - 5 };
      const asked: string[] = [];
      const custodian: Signer = {
        kind: "ecdsa",
        timeoutMs: 60_000,
        sign: async (request) => {
          asked.push(request.digest);
          return signer.sign(request);
        },
      };
      const { client, posts, stored } = await serve();
      const send = (what: NewOperation) => client.operations.send(ID, what, custodian, { repeated: true });
      should(await send(operation)).match({ digest, found: false });
      should(await send(operation)).match({ digest, found: true });
      // It failed: this attempt did, and nobody is asked for it again.
      Object.assign(stored[0] ?? {}, { status: "failed" });
      should(await send(operation)).match({ found: true, operation: { status: "failed" } });
      should(asked).deepEqual([digest]);
      should((await errorOf(send({ ...late, wallet_operation_id: "43" }))).code).equal("SIGNER_TIMEOUT");
      stored.push({ ...stored[0], ...late, operation_id: ID, wallet_operation_id: "44", status: "sent" });
      should(await send({ ...late, wallet_operation_id: "44" })).match({ found: true });
      should(asked).have.length(1);
      should(posts()).have.length(1);
    });

    it("draws an id of its own and a deadline in 15 minutes", async () => {
      const { client, posts } = await serve();
      const { wallet_operation_id: _id, deadline: _deadline, ...bare } = operation;
      await client.operations.send(ID, bare, signer);
      const body = posts()[0]?.body;
      should(String(body?.wallet_operation_id)).match(/^\d{20,39}$/);
      should(Number(body?.deadline)).be.approximately(Date.now() / 1000 + 900, 5);
    });

    for (const [what, faults, count] of [
      ["before it arrived, and sends it again", ["lost before"], 2],
      ["after it arrived, and finds it", ["lost after"], 1],
      ["twice before it arrived", ["lost before", "lost before"], 3],
      ["and then refused though nothing is there yet", ["conflict"], 2],
    ] as const) {
      it(`continues when an attempt was lost ${what}`, async () => {
        const { client, stored, posts } = await serve([...faults]);
        const { operation: sent } = await client.operations.send(ID, operation, signer);
        should(sent.operation_id).equal(OTHER_ID);
        should(stored).have.length(1);
        should(posts()).have.length(count);
        should(new Set(posts().map(({ body }) => body.wallet_operation_id)).size).equal(1);
      });
    }

    it("twice with the same id is one operation", async () => {
      const { client, stored } = await serve();
      await client.operations.send(ID, operation, signer);
      should((await client.operations.send(ID, operation, signer)).found).be.true();
      should(stored).have.length(1);
    });

    it("is OPERATION_ID_TAKEN when another operation holds the id", async () => {
      const { client } = await serve();
      await client.operations.send(ID, operation, signer);
      const other = { ...operation, transactions: [{ to: ADDRESS.toLowerCase(), value: 2, data: "0x" }] };
      const error = await errorOf(client.operations.send(ID, other, signer));
      should(error.code).equal("OPERATION_ID_TAKEN");
      should(error.message).containEql(OTHER_ID);
    });

    for (const code of ["WALLET_ALREADY_ARCHIVED", "OPERATION_DEADLINE_ELAPSED"]) {
      it(`is sent once when the service refuses it for good, with ${code}`, async () => {
        const { client, calls } = await startOther(({ method, path }) => {
          if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
          return method === "POST" ? conflict(code) : [200, { events: [], has_more: false }];
        });
        should((await errorOf(client.operations.send(ID, operation, signer))).code).equal(code);
        should(calls().filter((call) => call.startsWith("POST"))).have.length(1);
      });
    }

    describe("finds what its key stands for", () => {
      const { wallet_operation_id: _id, ...bare } = operation;
      const keyed = { ...bare, operation_key: "order 1" };
      const earlier = async (status: string) => {
        const first = await serve();
        await first.client.operations.draft(ID, keyed);
        return first.stored.map((one) => ({ ...one, operation_id: ID, status }));
      };

      for (const status of ["pending_signature", "accepted", "sent", "confirmed"]) {
        it(`where it is ${status}: nothing is made twice`, async () => {
          const { client, posts } = await serve([], await earlier(status));
          for (const made of [
            await client.operations.send(ID, keyed, signer),
            await client.operations.draft(ID, keyed),
          ]) {
            should(made).match({ found: true, operation: { operation_id: ID, status } });
          }
          should(posts()).be.empty();
        });
      }

      for (const status of ["failed", "expired", "cancelled"]) {
        it(`but tries again what is ${status}`, async () => {
          const { client, posts } = await serve([], await earlier(status));
          const made = await client.operations.send(ID, keyed, signer);
          should(made).match({ found: false, operation: { operation_id: OTHER_ID } });
          should(posts()).have.length(1);
        });
      }
    });

    it("turned away for coming too often has not acted: an older try that failed is not its own", async () => {
      const first = await serve();
      await first.client.operations.send(ID, operation, signer);
      const stored = first.stored.map((one) => ({ ...one, operation_id: ID, status: "failed" }));
      const replies: Reply[] = [[429, "", { "retry-after": "0" }]];
      const { client } = await startOther(({ method, path, body }) => {
        if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
        if (path.endsWith("/search")) {
          const headers = { type: "operation.status", offset: 1, proofs: [] };
          return [200, { events: [{ event_id: ID, headers, payload: { operation_id: ID } }] }];
        }
        if (method === "GET") return [200, stored[0]];
        return replies.shift() ?? [201, { ...body, operation_id: OTHER_ID, status: "accepted" }];
      });
      const sent = await client.operations.send(ID, operation, signer);
      should(sent).match({ found: false, operation: { operation_id: OTHER_ID, status: "accepted" } });
    });

    it("gives up with what the service says when it never works", async () => {
      const { client, posts } = await serve(Array(9).fill("lost before"));
      const error = await errorOf(client.operations.send(ID, operation, signer));
      should(error.code).equal("SERVICE_UNREACHABLE");
      should(error.message).not.containEql(KEY);
      should(posts()).have.length(4);
    });

    it("refuses bad values with their path before anything is sent", async () => {
      const { client, asked } = await serve();
      const refused = async (changes: object) =>
        (await errorOf(client.operations.send(ID, { ...operation, ...changes }, signer))).path;
      should(await refused({ address: "0x1" })).equal("address");
      should(await refused({ chain_selector: "x" })).equal("chain_selector");
      should(await refused({ deadline: 1000 })).equal("deadline");
      should(await refused({ deadline: Math.floor(Date.now() / 1000) })).equal("deadline");
      should(await refused({ transactions: [] })).equal("operation.transactions");
      should(await refused({ transactions: [{ to: "0x1", value: 0, data: "0x" }] })).equal(
        "operation.transactions[0].to",
      );
      should(await refused({ wallet_operation_id: 2n ** 256n })).equal("operation.id");
      should((await errorOf(client.operations.send("1", operation, signer))).path).equal("channelId");
      should(asked).be.empty();
    });

    it("leaves its doubt standing when the service refuses the look after a lost answer", async () => {
      const { client } = await startOther(({ method, path }) => {
        if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
        return method === "POST" ? "drop" : [400, { type: "VALIDATION_ERROR", message: "no such filter" }];
      });
      const error = await errorOf(client.operations.send(ID, operation, signer));
      should(error.code).equal("SERVICE_UNREACHABLE");
      should(error.message).match(/may have been accepted.* 42\.$/);
    });

    it("is called retryable only where the same call has the same id again", async () => {
      const { wallet_operation_id: _id, ...bare } = operation;
      for (const [given, retryable] of [
        [operation, true],
        [{ ...bare, operation_key: "order 1" }, true],
        [bare, false],
      ] as Array<[NewOperation, boolean]>) {
        const { client } = await serve(Array(9).fill("lost before"));
        const error = await errorOf(client.operations.send(ID, given, signer));
        should([error.code, error.retryable]).deepEqual(["SERVICE_UNREACHABLE", retryable]);
      }
    });

    it("ends immediately when the client is closed in the pause before another attempt", async () => {
      const { client } = await startOther(({ method, path }) => {
        if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
        if (method === "GET") return [200, { events: [], has_more: false }];
        setTimeout(() => void client.close(), 50);
        return [503, {}, { "retry-after": "9" }];
      });
      const begun = performance.now();
      should((await errorOf(client.operations.send(ID, operation, signer))).code).equal("CLIENT_CLOSED");
      should(performance.now() - begun).be.below(8_000);
    });

    for (const [what, stop, code] of [
      ["aborted", (_client, controller) => controller.abort(new Error("enough")), "ABORTED"],
      ["cut off by closing the client", (client) => void client.close(), "CLIENT_CLOSED"],
    ] as Array<[string, (client: Service["client"], controller: AbortController) => void, string]>) {
      it(`names the id of an operation that may have been accepted when it is ${what}`, async () => {
        const controller = new AbortController();
        const service = await startOther(({ method }) => {
          if (method === "GET") return page({ chain_selector: CHAIN, chain_id: "31337" });
          setImmediate(() => stop(service.client, controller));
          return "silence";
        });
        const { signal } = controller;
        const error = await errorOf(service.client.operations.send(ID, operation, signer, { signal }));
        should(error.code).equal(code);
        if (code === "ABORTED") should(error.cause).equal(signal.reason);
        should(error.message).match(/may have been accepted.* 42\.$/);
        should(error.retryable).be.true();
      });
    }

    it("names that id also to a caller that stops it with its own error", async () => {
      const controller = new AbortController();
      const { client } = await startOther(({ method }) => {
        if (method === "GET") return page({ chain_selector: CHAIN, chain_id: "31337" });
        setImmediate(() => controller.abort(new CrecError("NODE_CLOSED", "The node was closed.")));
        return "silence";
      });
      const { signal } = controller;
      const error = await errorOf(client.operations.send(ID, operation, signer, { signal }));
      should(error.code).equal("NODE_CLOSED");
      should(error.message).match(/may have been accepted.* 42\.$/);
    });

    it("leaves no doubt when it is aborted before anything was sent", async () => {
      const { client, posts } = await serve();
      const controller = new AbortController();
      const slow = {
        ...signer,
        sign: async (request: Parameters<typeof signer.sign>[0]) => {
          controller.abort();
          return signer.sign(request);
        },
      };
      const { signal } = controller;
      const error = await errorOf(client.operations.send(ID, operation, slow, { signal }));
      should(error.code).equal("ABORTED");
      should(error.message).not.match(/may have been accepted/);
      should(posts()).be.empty();
    });

    it("sends a signature in the form that wallets take, however the signer gives it", async () => {
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      const usual = await signer.sign({ digest, typedData: operationTypedData(signed, 31337) });
      const [rs, v] = [usual.slice(0, 130), usual.slice(130)];
      const high = (order - BigInt(`0x${usual.slice(66, 130)}`)).toString(16).padStart(64, "0");
      const flipped = `${usual.slice(0, 66)}${high}${v === "1b" ? "1c" : "1b"}`;
      for (const form of [usual, `${rs}${v === "1b" ? "00" : "01"}`, flipped]) {
        const { client, posts } = await serve();
        const other = { ...signer, sign: async () => form as `0x${string}` };
        await client.operations.send(ID, operation, other);
        should(posts()[0]?.body.signature).equal(usual);
      }
    });

    it("refuses a signature that is not the signer's", async () => {
      const { client, posts } = await serve();
      const other = localEcdsaSigner(generatePrivateKey());
      const liar = { ...signer, sign: other.sign };
      should((await errorOf(client.operations.send(ID, operation, liar))).code).equal("SIGNATURE_MISMATCH");
      should(posts()).be.empty();
    });
  });

  describe("drafts", () => {
    it("are finalized by a signature of what they hold", async () => {
      const { client, asked } = await serve();
      const { operation: draft } = await client.operations.draft(ID, operation);
      should(draft.status).equal("pending_signature");
      should((await client.operations.finalize(ID, OTHER_ID, signer)).status).equal("accepted");
      const body = asked.at(-1)?.body ?? {};
      should(body.digest).equal(digest);
      should(recoverSigner(digest, body.signature as `0x${string}`)).equal(signer.address);
    });

    it("are finalized only with the given digest", async () => {
      const { client, stored, asked } = await serve();
      const { digest: drafted } = await client.operations.draft(ID, operation);
      const [draft] = stored;
      const transactions = draft?.transactions;
      Object.assign(draft ?? {}, { transactions: [{ to: ADDRESS, value: "9", data: "0x" }] });
      const refused = client.operations.finalize(ID, OTHER_ID, signer, { digest: drafted });
      should((await errorOf(refused)).code).equal("DIGEST_MISMATCH");
      should(asked.filter(({ method }) => method === "PATCH")).be.empty();
      Object.assign(draft ?? {}, { transactions });
      const written = drafted.toUpperCase().replace("0X", "0x");
      const done = await client.operations.finalize(ID, OTHER_ID, signer, { digest: written });
      should(done.status).equal("accepted");
    });

    it("are not signed where the service shows values that no operation has", async () => {
      const { client, stored } = await serve();
      await client.operations.draft(ID, operation);
      const call = { to: ADDRESS, value: "1", data: "0x" };
      const shown = [{ ...call, to: "0x12" }, { ...call, value: "-1" }, { ...call, data: "0xabc" }, null];
      for (const one of shown) {
        Object.assign(stored[0] ?? {}, { transactions: [one] });
        const { code } = await errorOf(client.operations.finalize(ID, OTHER_ID, signer));
        should(code).equal("BAD_RESPONSE", JSON.stringify(one));
      }
    });

    it("that another client finalized or cancelled meanwhile are not a success after a lost answer", async () => {
      const change = async (status: string, call: (client: Service["client"]) => Promise<unknown>) => {
        const draft = { ...operation, operation_id: OTHER_ID, wallet_operation_id: "42", status };
        const { client } = await startOther(({ method, path }) => {
          if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
          return method === "PATCH" ? "drop" : [200, draft];
        });
        return call(client).then(
          () => "done",
          (error) => error.code,
        );
      };
      const cancel = (client: Service["client"]) =>
        client.operations.cancel(ID, OTHER_ID, { patienceMs: 300 });
      const finalize = (client: Service["client"]) => client.operations.finalize(ID, OTHER_ID, signer);
      should(await change("accepted", cancel)).equal("OPERATION_NOT_CANCELLABLE");
      should(await change("expired", cancel)).equal("OPERATION_NOT_CANCELLABLE");
      should(await change("cancelled", cancel)).equal("done");
      should(await change("pending_signature", cancel)).equal("SERVICE_UNREACHABLE");
      should(await change("cancelled", finalize)).equal("OPERATION_NOT_FINALIZABLE");
      should(await change("sent", finalize)).equal("done");
      should(await change("expired", finalize)).equal("done");
    });

    it("are signed once by a signer that takes time, also when it is repeated", async () => {
      let asked = 0;
      const sign: Signer["sign"] = (request) => {
        asked += 1;
        return signer.sign(request);
      };
      const custodian: Signer = { kind: "ecdsa", timeoutMs: 60_000, sign };
      const { client, stored } = await serve();
      await client.operations.draft(ID, operation);
      const finalize = (repeated?: boolean) =>
        client.operations.finalize(ID, OTHER_ID, custodian, { digest, repeated });
      should((await finalize(true)).status).equal("accepted");
      should((await finalize(true)).status).equal("accepted");
      should((await errorOf(finalize())).code).equal("OPERATION_NOT_FINALIZABLE");
      Object.assign(stored[0] ?? {}, { status: "cancelled" });
      should((await errorOf(finalize(true))).code).equal("OPERATION_NOT_FINALIZABLE");
      should(asked).equal(1);
    });

    it("are cancelled, and a lost answer is looked up", async () => {
      const { client } = await serve([undefined, "lost after"]);
      await client.operations.draft(ID, operation);
      should((await client.operations.cancel(ID, OTHER_ID)).status).equal("cancelled");
    });
  });

  describe("follow", () => {
    it("ends immediately when the client is closed", async () => {
      const payload = { ...operation, operation_id: OTHER_ID, status: "sent" };
      const headers = { type: "operation.status", offset: 1 };
      const { client } = await startOther(({ path }) =>
        path.endsWith("/search") ? [200, { events: [{ event_id: "e", headers, payload }] }] : [200, payload],
      );
      const pollMs = { min: 60_000, max: 60_000 };
      const follow = client.operations.follow(ID, OTHER_ID, { pollMs, timeoutMs: 120_000 });
      await follow.next();
      const next = errorOf(follow.next());
      await client.close();
      should((await next).code).equal("CLIENT_CLOSED");
    });
  });

  describe("waitFor", () => {
    const stored = (status: string): Stored => ({
      operation_id: OTHER_ID,
      status,
      wallet_operation_id: null,
    });

    it("counts a stronger status, and never a failure as one", async () => {
      const { client } = await serve([], [stored("confirmed_safe")]);
      const options = { target: "confirmed_latest" } as const;
      should((await client.operations.waitFor(ID, OTHER_ID, options)).status).equal("confirmed_safe");
    });

    it("says why it failed", async () => {
      const { client } = await serve([], [stored("failed")]);
      const error = await errorOf(client.operations.waitFor(ID, OTHER_ID, { target: "accepted" }));
      should(error.code).equal("OPERATION_FAILED");
      should(error.reason).equal("execution reverted: no balance");
      should(error.resource).match({ operation_id: OTHER_ID });
    });
  });
});
