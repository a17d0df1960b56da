import should from "should";
import { CrecError } from "../../src/errors.ts";
import type { NewOperation } from "../../src/resources/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { errorOf } from "../http/support.ts";
import { type Asked, CHAIN, ID, OTHER_ID, page, type Reply, startFakeService } from "./support.ts";

const CONTRACT = "0x2222222222222222222222222222222222222222";
const WALLET = "0x1111111111111111111111111111111111111111";
const MIXED_UP = { code: "BAD_RESPONSE" };

/** A cache or a proxy that mixes up answers. */
describe("the answer to another request", () => {
  const open: Array<{ close(): Promise<void> }> = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const serve = async (reply: (asked: Asked) => Reply) => {
    const service = await startFakeService((asked) =>
      asked.path === "/networks" ? page({ chain_selector: CHAIN, chain_id: "31337" }) : reply(asked),
    );
    open.push(service);
    return service;
  };

  describe("for an operation", () => {
    const signer = localEcdsaSigner(generatePrivateKey());
    const operation: NewOperation = {
      ...{ chain_selector: CHAIN, address: WALLET, wallet_operation_id: "42", deadline: 0 },
      transactions: [{ to: CONTRACT, value: "1", data: "0xabcd" }],
    };
    const others: Record<string, object> = {
      "wallet operation id": { wallet_operation_id: "43" },
      wallet: { address: CONTRACT },
      network: { chain_selector: "1" },
      "list of calls": { transactions: [{ to: CONTRACT, value: "2", data: "0xabcd" }] },
    };
    /** Takes operations; `answered` is what it says to the POST, given the operation. */
    const taking = (isShown: boolean, answered: (taken: object) => object, read = answered) => {
      let taken: object | undefined;
      return serve(({ method, path, body }): Reply => {
        if (path.endsWith("/search")) {
          const headers = { type: "operation.status", offset: 1, proofs: [] };
          const events = isShown && taken ? [{ event_id: ID, headers, payload: taken }] : [];
          return [200, { events, has_more: false }];
        }
        if (method === "POST") {
          taken = { ...body, operation_id: ID, status: "accepted" };
          return [201, answered(taken)];
        }
        if (path.endsWith(`/${ID}`)) return [200, taken ?? {}];
        return [200, read(taken ?? {})];
      });
    };

    for (const [field, other] of Object.entries(others)) {
      it(`is not believed where its ${field} is another: the own one is found`, async () => {
        const { client, asked } = await taking(true, (own) => ({ ...own, ...other, operation_id: OTHER_ID }));
        const sent = await client.operations.send(ID, operation, signer);
        should(sent.operation).match({ operation_id: ID, wallet_operation_id: "42" });
        should(sent.found).be.true();
        should(asked.filter(({ method }) => method === "POST")).have.length(1);
      });
    }

    it("leaves a doubt where nothing is found, which names what is different", async () => {
      const { client } = await taking(false, (own) => ({ ...own, wallet_operation_id: "43" }));
      const error = await errorOf(client.operations.send(ID, operation, signer));
      should(error).have.properties(MIXED_UP);
      should(error.message)
        .match(/belongs to another operation than the requested one: its wallet operation id is 43, not 42\./)
        .and.match(/may have been accepted nevertheless/);
    });

    it("is read where it does not say which operation it is about, and then compared", async () => {
      const short = { operation_id: OTHER_ID, status: "accepted" };
      const other = (own: object) => ({ ...own, operation_id: OTHER_ID, wallet_operation_id: "43" });
      const { client } = await taking(true, () => short, other);
      const { operation: shown } = await client.operations.send(ID, operation, signer);
      should(shown.operation_id).equal(ID);
    });

    it("is not taken for that of a draft that was finalized", async () => {
      const draft = { ...operation, operation_id: ID, status: "pending_signature", signature: null };
      const { client } = await serve(({ method }) => [
        200,
        method === "PATCH" ? { ...draft, status: "accepted", wallet_operation_id: "43" } : draft,
      ]);
      should(await errorOf(client.operations.finalize(ID, ID, signer, { patienceMs: 200 }))).have.properties(
        MIXED_UP,
      );
    });
  });

  it("is not taken for that of a new channel, wallet, watcher or query", async () => {
    const wallet = {
      name: "own",
      wallet_owner_address: WALLET,
      chain_selector: CHAIN,
      wallet_type: "ecdsa",
    } as const;
    const watcher = {
      name: "counts",
      chain_selector: CHAIN,
      address: CONTRACT,
      events: ["Paid"],
      service: "dta",
    };
    const params = {
      contract_address: CONTRACT,
      call_data: "0x01",
      block_selection: { type: "latest" },
    } as const;
    const query = { chain_selector: CHAIN, params };
    const all: Array<
      [Record<string, unknown>, (at: Awaited<ReturnType<typeof serve>>["client"]) => Promise<unknown>]
    > = [
      [{ channel_id: ID, name: "other" }, ({ channels }) => channels.create({ name: "own" })],
      [{ ...wallet, wallet_id: ID, name: "other" }, ({ wallets }) => wallets.create(wallet)],
      [{ ...wallet, wallet_id: ID, wallet_owner_address: CONTRACT }, ({ wallets }) => wallets.create(wallet)],
      [{ ...watcher, watcher_id: ID, events: ["Sold"] }, ({ watchers }) => watchers.create(ID, watcher)],
      [{ ...watcher, watcher_id: ID, name: "others" }, ({ watchers }) => watchers.create(ID, watcher)],
      [{ query_id: ID, status: "accepted", target: WALLET }, ({ queries }) => queries.create(ID, query)],
    ];
    for (const [answer, create] of all) {
      const { client } = await serve(() => [201, answer]);
      const error = await errorOf(create(client));
      should(error).be.instanceOf(CrecError).and.have.properties(MIXED_UP);
      should(error.message).match(/belongs to another (channel|wallet|watcher|query)/);
    }
  });

  it("to a query is refused without a verifier, by each thing that was asked", async () => {
    const params = {
      ...{ contract_address: CONTRACT, call_data: "0x01" },
      block_selection: { type: "block_number", block_number: "7" },
    } as const;
    const data = (changes: object = {}) => ({
      ...{
        query_id: ID,
        target: { contract_address: CONTRACT, call_data: "0x01", from_address: `0x${"0".repeat(40)}` },
      },
      block_selection: { requested: { type: "block_number", block_number: "7" } },
      ...{ result: { raw_return_data: "0x05" }, ...changes },
    });
    const answering = async (signed: object, more: object = {}) => {
      const text = Buffer.from(
        JSON.stringify({ service: "_crec", name: "ChainQuery", chain_selector: CHAIN, data: signed }),
      );
      const { client } = await serve(({ method }) => {
        if (method === "POST") return [201, { query_id: ID, status: "accepted" }];
        const query = { query_id: ID, status: "completed", chain_selector: CHAIN, target: CONTRACT };
        return [200, { ...query, verifiable_result: text.toString("base64"), ...more }];
      });
      return client.queries.run(ID, { chain_selector: CHAIN, params }, { timeoutMs: 5_000 });
    };
    should((await answering(data())).data).equal("0x05");
    for (const [changes, more] of [
      [{ query_id: OTHER_ID }],
      [{ target: { contract_address: WALLET } }],
      [{ target: { call_data: "0x02" } }],
      [{ target: { from_address: WALLET } }],
      [{ block_selection: { requested: { type: "latest" } } }],
      [{ block_selection: { requested: { type: "block_number", block_number: "8" } } }],
      [{}, { target: WALLET }],
    ]) {
      const error = await errorOf(answering(data(changes), more));
      should(error).have.properties(MIXED_UP);
      should(error.message).match(/belongs to another query than the requested one: its/);
    }
  });
});
