import should from "should";
import type { NewOperation, Submitted } from "../../src/resources/index.ts";
import { saysExecuted } from "../../src/resources/waits/operation-executed.ts";
import { generatePrivateKey, localEcdsaSigner, walletOperationIdOf } from "../../src/signing/index.ts";
import { errorOf } from "../http/support.ts";
import { eventually } from "../support/eventually.ts";
import {
  ADDRESS,
  type Asked,
  CHAIN,
  ID,
  OTHER_ID,
  page,
  type Reply,
  refusedFilter,
  startFakeService,
} from "./support.ts";

/** The wallet takes an id once. Its operation may be there before the search of events shows it. */
describe("an operation whose id was executed before", () => {
  const open: Array<Awaited<ReturnType<typeof startFakeService>>> = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  const signer = localEcdsaSigner(generatePrivateKey());
  const key = "order 1";
  const id = walletOperationIdOf(key, { chainSelector: CHAIN, address: ADDRESS });
  const bare = {
    chain_selector: CHAIN,
    address: ADDRESS,
    deadline: 0,
    transactions: [{ to: ADDRESS, value: "1", data: "0xabcd" }],
  };
  const byId: NewOperation = { ...bare, wallet_operation_id: id };
  const keyed: NewOperation = { ...bare, deadline: 4e9, operation_key: key };
  /** What was executed. Without a change, it is what `byId` asks for. */
  const executed = (change: object = {}) => ({
    ...{ ...bare, wallet_operation_id: id, operation_id: ID, status: "confirmed" },
    ...change,
  });
  const otherCalls = { transactions: [{ to: ADDRESS, value: "2", data: "0x" }] };
  const pollMs = { min: 1, max: 5 };

  const refusal = (message: string): Reply => [400, { type: "VALIDATION_ERROR", message }];
  const REFUSALS: ReadonlyArray<[string, Reply]> = [
    ["by its name", refusal(`execution reverted: OperationAlreadyExecuted(${id})`)],
    ["by its name alone", [409, { type: "CONFLICT", message: "OperationAlreadyExecuted" }]],
    ["as revert data", refusal(`0x97503b48${BigInt(id).toString(16).padStart(64, "0")}`)],
  ];

  /** Answers a POST with `post`, and shows `earlier` from the given look on. */
  const serve = async (post: Reply, earlier: Record<string, unknown>, fromLook: number) => {
    let looks = 0;
    const service = await startFakeService(({ method, path, query }: Asked): Reply => {
      if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
      if (method === "POST") return post;
      if (!path.endsWith("/events/search")) return [200, earlier];
      should(query.get("wallet_operation_id")).equal(id);
      const headers = { type: "operation.status", offset: 1, proofs: [] };
      const events = ++looks < fromLook ? [] : [{ event_id: "e", headers, payload: earlier }];
      return [200, { events, has_more: false }];
    });
    open.push(service);
    return { ...service, posts: () => service.asked.filter(({ method }) => method === "POST") };
  };

  describe("refused immediately", () => {
    for (const [how, post] of REFUSALS) {
      it(`${how}, is looked for until it is shown`, async () => {
        const { client, posts } = await serve(post, executed(), 3);
        const sent = await client.operations.send(ID, byId, signer);
        should(sent).match({ found: true, operation: { operation_id: ID, status: "confirmed" } });
        should(posts()).have.length(1);
      });
    }

    it("is found under its key whatever its deadline", async () => {
      const { client } = await serve(refusal("OperationAlreadyExecuted"), executed(), 3);
      should((await client.operations.send(ID, keyed, signer)).found).be.true();
    });

    it("is OPERATION_ID_TAKEN or OPERATION_KEY_REUSED when it made other calls", async () => {
      for (const [operation, code] of [
        [byId, "OPERATION_ID_TAKEN"],
        [keyed, "OPERATION_KEY_REUSED"],
      ] as const) {
        const { client } = await serve(refusal("OperationAlreadyExecuted"), executed(otherCalls), 3);
        should((await errorOf(client.operations.send(ID, operation, signer))).code).equal(code);
      }
    });

    it("is OPERATION_EXECUTED_NOT_FOUND when it is not shown in the time of the call", async () => {
      const { client } = await serve(
        refusal("OperationAlreadyExecuted"),
        executed(),
        Number.POSITIVE_INFINITY,
      );
      const begun = performance.now();
      for (const operation of [byId, keyed]) {
        const error = await errorOf(client.operations.send(ID, operation, signer, { timeoutMs: 600 }));
        should(error).match({ code: "OPERATION_EXECUTED_NOT_FOUND", retryable: true });
        should(error.message).startWith("Already executed, not found yet.");
        should(error.message).containEql(id);
        should(error.message).match(
          operation === keyed ? /under the same key/ : /Look for its wallet operation id later/,
        );
      }
      should(performance.now() - begun).be.within(1_200, 8_000);
    });

    it("ends immediately when the caller stops it, and names the id", async () => {
      const { client, asked } = await serve(refusal("OperationAlreadyExecuted"), executed(), 1e9);
      const controller = new AbortController();
      const sending = errorOf(client.operations.send(ID, byId, signer, { signal: controller.signal }));
      const isLooking = () => asked.some(({ path }) => path.endsWith("/search"));
      await eventually("a search for the operation", isLooking);
      controller.abort();
      should(await sending).match({ code: "ABORTED", message: new RegExp(id) });
    });
  });

  describe("taken, as the service says", () => {
    const taken: Reply = [409, { type: "CONFLICT", code: "OPERATION_ALREADY_EXISTS", message: "taken" }];

    it("is looked for longer than it is sent again", async () => {
      const { client, posts } = await serve(taken, executed({ status: "sent" }), 7);
      should((await client.operations.send(ID, byId, signer)).found).be.true();
      should(posts()).have.length(4);
    });

    it("does not advise a new id when it is not shown in time", async () => {
      const { client } = await serve(taken, executed(), Number.POSITIVE_INFINITY);
      const error = await errorOf(client.operations.send(ID, keyed, signer, { timeoutMs: 1_000 }));
      should(error).match({ code: "OPERATION_ALREADY_EXISTS", status: 409, retryable: true });
      should(error.message).startWith("Already accepted, not found yet.");
      should(error.message).match(/under the same key/);
    });
  });

  describe("refused by the wallet after it was accepted", () => {
    const reason = `execution reverted: OperationAlreadyExecuted(operationId: ${id})`;
    const refused = { ...executed({ deadline: 4e9 }), operation_id: OTHER_ID, status: "failed" };

    /** Knows the refused one at once, and shows `earlier` from the given search on. */
    const serveRefused = async (
      earlier: Record<string, unknown>,
      { fromLook = 1, says = reason, asShown = refused as object } = {},
    ) => {
      let looks = 0;
      const event = (offset: number, payload: object, status: string): object => ({
        event_id: `event ${offset}`,
        headers: { type: "operation.status", offset, proofs: [] },
        payload: { ...payload, status },
      });
      const service = await startFakeService((asked: Asked): Reply => {
        const { path, query } = asked;
        if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
        if (path.endsWith(`/${OTHER_ID}`)) return [200, asShown];
        if (!path.endsWith("/events/search")) return [200, earlier];
        const failed = event(5, { ...refused, status_reason: says }, "failed");
        const rungs = ["accepted", "sent", "confirmed"].map((status, at) => event(at, earlier, status));
        should(query.get("wallet_operation_id")).equal(id);
        const own = [event(4, refused, "accepted"), failed];
        return refusedFilter(asked) ?? (++looks < fromLook ? page(...own) : page(...rungs, ...own));
      });
      open.push(service);
      return service.client.operations;
    };
    type Served = Awaited<ReturnType<typeof serveRefused>>;

    /** Both ways to wait for it: the status reached, or the error. */
    const WAYS: Readonly<
      Record<
        string,
        (
          served: Served,
          options: { timeoutMs?: number; onFound?: (one: Submitted) => void },
        ) => Promise<string>
      >
    > = {
      waitFor: async (served, options) => {
        const how = { target: "confirmed", operationKey: key, pollMs, ...options } as const;
        return (await served.waitFor(ID, OTHER_ID, how)).operation_id;
      },
      follow: async (served, options) => {
        let last = "";
        for await (const { status, operationId } of served.follow(ID, OTHER_ID, {
          ...{ operationKey: key, pollMs },
          ...options,
        })) {
          should(status).not.equal("failed");
          last = operationId;
        }
        return last;
      },
    };

    for (const [name, wait] of Object.entries(WAYS)) {
      describe(`and waited for by ${name}`, () => {
        it("gives the operation that was executed, as soon as it is shown", async () => {
          const served = await serveRefused(executed(), { fromLook: 3 });
          const found: Submitted[] = [];
          should(await wait(served, { onFound: (one) => found.push(one) })).equal(ID);
          should(found).match([{ found: true, operation: { operation_id: ID } }]);
          should(found).have.length(1);
        });

        it("is OPERATION_KEY_REUSED when that made other calls", async () => {
          const error = await errorOf(wait(await serveRefused(executed(otherCalls)), {}));
          should(error.code).equal("OPERATION_KEY_REUSED");
        });

        it("is OPERATION_EXECUTED_NOT_FOUND when that is not shown in time", async () => {
          const served = await serveRefused(executed(), { fromLook: Number.POSITIVE_INFINITY });
          const error = await errorOf(wait(served, { timeoutMs: 1_500 }));
          should(error).match({ code: "OPERATION_EXECUTED_NOT_FOUND", message: new RegExp(id) });
        });

        it("has failed where the reason names the id of another wallet", async () => {
          const other = reason.replace(id, "7");
          const served = await serveRefused(executed(), { says: other });
          if (name === "waitFor") {
            should(await errorOf(wait(served, {}))).match({ code: "OPERATION_FAILED", reason: other });
            return;
          }
          const statuses: string[] = [];
          for await (const { status } of served.follow(ID, OTHER_ID, { pollMs })) statuses.push(status);
          should(statuses).deepEqual(["accepted", "failed"]);
        });
      });
    }

    it("is not taken for the executed one while it is shown in an old state", async () => {
      const asShown = { ...refused, status: "sent" };
      const served = await serveRefused(executed(), { fromLook: 3, asShown });
      should(await WAYS.follow?.(served, {})).equal(ID);
    });

    it("without its key, is OPERATION_ID_TAKEN when the deadlines differ", async () => {
      const served = await serveRefused(executed());
      const waiting = served.waitFor(ID, OTHER_ID, { target: "confirmed", operationKey: "order 2", pollMs });
      should((await errorOf(waiting)).code).equal("OPERATION_ID_TAKEN");
    });

    it("is recognized when its reason is shown later than its status", async () => {
      let shown = 0;
      const service = await startFakeService((asked: Asked): Reply => {
        const { path } = asked;
        if (path === "/networks") return page({ chain_selector: CHAIN, chain_id: "31337" });
        if (path.endsWith(`/${OTHER_ID}`)) return [200, refused];
        if (!path.endsWith("/events/search")) return [200, executed()];
        const headers = { type: "operation.status", offset: 1, proofs: [] };
        const event = (event_id: string, payload: object) => ({ event_id, headers, payload });
        const why = ++shown < 3 ? [] : [event("f", { ...refused, status_reason: reason })];
        return refusedFilter(asked) ?? page(event("e", executed()), ...why);
      });
      open.push(service);
      const how = { target: "confirmed", operationKey: key, pollMs } as const;
      should((await service.client.operations.waitFor(ID, OTHER_ID, how)).operation_id).equal(ID);
    });
  });

  it("is recognized by the wallet's error with or without its id, and by nothing else", () => {
    for (const reason of ["OperationAlreadyExecuted", "OperationAlreadyExecuted(42)", "0x97503B48"]) {
      should(saysExecuted(reason, "42")).be.true();
    }
    for (const reason of [
      "",
      "OperationAlreadyExecutedTwice",
      "OperationAlreadyExecuted(43)",
      "DeadlinePassed",
    ]) {
      should(saysExecuted(reason, "42")).be.false();
    }
  });
});
