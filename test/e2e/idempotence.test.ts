import { randomUUID } from "node:crypto";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import should from "should";
import type { RunningService } from "../../service/src/index.ts";
import {
  CrecClient,
  type CrecError,
  encodeFunctionCall,
  generatePrivateKey,
  type LocalEcdsaSigner,
  localEcdsaSigner,
  type NewOperation,
  parseAbi,
  randomWalletOperationId,
  walletOperationIdOf,
} from "../../src/index.ts";
import { type Alteration, AlteringProxy, late } from "../support/altering-proxy.ts";
import { executeOnChain } from "../support/execute-on-chain.ts";
import { startTestService } from "../support/service.ts";
import { withVariants } from "../support/variants.ts";
import { describeWide } from "../support/wide.ts";

/** The calls that submitting is made of: handing in, and then looking whether that was taken. */
const CALLS = {
  submit: { method: "POST", path: "/operations" },
  search: { method: "GET", path: "/events/search" },
  read: { method: "GET", path: "/operations/" },
} as const;
type Call = keyof typeof CALLS;

/** For calls that meet what lasts until the client gives up: long for any other call, and soon over. */
const HASTY_MS = 6_000;
const MOST_AT_ONCE = 16;
/** Otherwise no attempt times out, however busy the machine is. */
const PATIENT_MS = 60_000;

/** What can happen to a call: a fault of the service, or what becomes of it or its answer on the way. */
type Failure = { handled: boolean; fault?: Record<string, unknown>; alter?: Alteration; held?: true };
const FAILURES: Readonly<Record<string, Failure>> = {
  "reset before it is handled": { handled: false, fault: { action: "reset" } },
  "503 before it is handled": { handled: false, fault: { action: "status", status: 503 } },
  "429 before it is handled": { handled: false, fault: { action: "status", status: 429 } },
  "handled only after the client gave up": { handled: false, held: true },
  "cut before the first byte of the answer": { handled: true, fault: { action: "drop_answer" } },
  "cut in the middle of the answer": { handled: true, fault: { action: "truncate" } },
  "500 after it was handled": {
    handled: true,
    alter: () => ({ status: 500, body: '{"type":"INTERNAL_ERROR","message":"as a test wants"}' }),
  },
  "a proxy's page instead of the answer": {
    handled: true,
    alter: () => ({ status: 200, body: "<html>Please log in</html>" }),
  },
  "answered after the client gave up": { handled: true, alter: late },
};
const NAMES = Object.keys(FAILURES);
const LASTS = NAMES.filter((name) => name.endsWith("gave up"));
const HANDLED = NAMES.filter((name) => FAILURES[name]?.handled);
const UNHANDLED = NAMES.filter((name) => !FAILURES[name]?.handled);

/** What goes wrong second, after the first failure of this index: each once, and every pair with all variants. */
const secondsAfter = (index: number, firsts: readonly string[]) =>
  NAMES.filter((_second, number) => withVariants || number % firsts.length === index);

const CALL_NAMES = Object.keys(CALLS) as Call[];
/** The call that the failure of this index meets: each in turn, and all of them with all variants. */
const callsFor = (index: number) =>
  CALL_NAMES.filter((_call, number) => withVariants || number === index % CALL_NAMES.length);

const COUNTER = parseAbi("function increment()\nfunction failWithReason(string reason)");
const INCREMENT = encodeFunctionCall({ abi: COUNTER, function: "increment" }).data;
const EXECUTED = Hash.keccak256(Hex.fromString("OperationExecuted(uint256)"));

describe("an operation of which answers are lost", function () {
  this.timeout(120_000);

  let service: RunningService;
  let proxy: AlteringProxy;
  let client: CrecClient;
  let hasty: CrecClient;
  let direct: CrecClient;
  let signer: LocalEcdsaSigner;
  let wallet: string;
  /** Every id that is to be executed, once. */
  const expected: string[] = [];

  const newClient = (options: { maxAttempts?: number; attemptTimeoutMs?: number } = {}) =>
    new CrecClient({
      baseUrl: proxy.baseUrl,
      apiKey: service.ready.api_key,
      attemptTimeoutMs: PATIENT_MS,
      ...options,
    });
  const clientFor = (...failures: readonly string[]) =>
    failures.some((kind) => LASTS.includes(kind)) ? hasty : client;

  before(async () => {
    service = await startTestService();
    proxy = await AlteringProxy.before(service.ready.base_url);
    client = newClient();
    hasty = newClient({ attemptTimeoutMs: HASTY_MS });
    direct = new CrecClient({ baseUrl: service.ready.base_url, apiKey: service.ready.api_key });
    signer = localEcdsaSigner(generatePrivateKey());
    const { wallet_id } = await client.wallets.create({
      name: "tester",
      chain_selector: service.ready.chain_selector,
      wallet_type: "ecdsa",
      wallet_owner_address: signer.address,
      allowed_ecdsa_signers: [signer.address],
    });
    wallet = (await client.wallets.waitFor(wallet_id, { target: "deployed" })).address;
  });

  after(async () => {
    await client?.close();
    await hasty?.close();
    await direct?.close();
    await proxy?.close();
    await service?.close();
  });

  /**
   * Each case has a channel of its own, so that its failures meet no other case. It is made past the proxy: a socket
   * that another case has just had cut may still look fine to the client, and creating is never repeated blindly.
   */
  const newChannel = async (): Promise<string> =>
    (await direct.channels.create({ name: randomUUID() })).channel_id;

  /** Whole, so that the very same can be sent again. */
  const increment = (changes: Partial<NewOperation> = {}): NewOperation => ({
    chain_selector: service.ready.chain_selector,
    address: wallet,
    wallet_operation_id: randomWalletOperationId(),
    deadline: Math.floor(Date.now() / 1000) + 900,
    transactions: [{ to: service.ready.contracts.Counter ?? "", value: "0", data: INCREMENT }],
    ...changes,
  });

  const local = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.ready.base_url}/local${path}`, {
      method,
      headers: {
        authorization: `Apikey ${service.ready.api_key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    should(response.ok).be.true();
    return (await response.json()) as { faults: Array<{ match?: { path?: string } }> };
  };

  /** Lets the next calls of this kind on this channel meet this failure. */
  const meet = async (channelId: string, call: Call, kind: string, times = 1): Promise<void> => {
    const { fault, alter, held } = FAILURES[kind] ?? {};
    const { method, path } = CALLS[call];
    const match = { method, path: `/channels/${channelId}${path}` };
    if (fault) await local("POST", "/faults", { ...fault, match, times });
    for (let time = 0; time < times; time++) {
      if (alter) proxy.alterNext(match.method, match.path, alter);
      if (held) proxy.holdNext(match.method, match.path);
    }
  };

  /** Whether each failure that was laid out has been met. */
  const checkAllMet = async (channelId: string): Promise<void> => {
    should(proxy.waiting(channelId)).equal(0);
    const { faults } = await local("GET", "/status");
    should(faults.filter(({ match }) => match?.path?.includes(channelId))).be.empty();
  };

  const executions = async (id?: string): Promise<number> => {
    const topics = [EXECUTED, ...(id === undefined ? [] : [Hex.fromNumber(BigInt(id), { size: 32 })])];
    const response = await fetch(service.ready.rpc_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "eth_getLogs" },
        params: [{ fromBlock: "0x0", toBlock: "latest", address: wallet, topics }],
      }),
    });
    return ((await response.json()) as { result: unknown[] }).result.length;
  };

  const operationsOf = async (channelId: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { wallet_operation_id } of client.operations.list(channelId))
      ids.push(wallet_operation_id);
    return ids;
  };

  const checkOnce = async (channelId: string, operationId: string, { wallet_operation_id }: NewOperation) => {
    await client.operations.waitFor(channelId, operationId, {
      target: "confirmed_latest",
      pollMs: { min: 50, max: 200 },
    });
    const id = String(wallet_operation_id);
    expected.push(id);
    should(await executions(id)).equal(1);
    should(await operationsOf(channelId)).deepEqual([id]);
  };

  /** Submits through the failures, each met in turn by its call, and checks that it was executed once. */
  const through = async (...failures: ReadonlyArray<[Call, string, number?]>): Promise<void> => {
    const channelId = await newChannel();
    for (const [call, kind, times] of failures) await meet(channelId, call, kind, times);
    const operation = increment();
    const sender = clientFor(...failures.map(([, kind]) => kind));
    const { operation: submitted } = await sender.operations.send(channelId, operation, signer);
    should(submitted.wallet_operation_id).equal(operation.wallet_operation_id);
    await checkAllMet(channelId);
    await checkOnce(channelId, submitted.operation_id, operation);
  };

  /** What runs at the same time, so that a machine with little to spare answers within `HASTY_MS`. */
  let free = MOST_AT_ONCE;
  const waiting: Array<() => void> = [];
  const inTurn = async (run: () => Promise<void>): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };

  const all = async (cases: ReadonlyArray<() => Promise<void>>): Promise<void> => {
    const outcomes = await Promise.allSettled(cases.map(inTurn));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  };

  const failure = (call: Promise<unknown>): Promise<CrecError> =>
    call.then(
      (value) => {
        throw new Error(`It did not fail: ${JSON.stringify(value)}`);
      },
      (error: CrecError) => error,
    );

  describe("is executed once when the submit is", () => {
    begunTogether(
      all,
      NAMES.map((kind) => [kind, [() => through(["submit", kind])]]),
    );
  });

  describeWide("is executed once when its submit was lost, and a call to look for it is", () => {
    const cut = "cut before the first byte of the answer";
    begunTogether(
      all,
      NAMES.map((kind) => [
        kind,
        [() => through(["submit", cut], ["search", kind]), () => through(["submit", cut], ["read", kind])],
      ]),
    );
  });

  describeWide("is executed once when two submits in a row go wrong: first", () => {
    begunTogether(
      all,
      UNHANDLED.map((first, index) => [
        `${first}, then in another way`,
        secondsAfter(index, UNHANDLED).map((second) => () => through(["submit", first], ["submit", second])),
      ]),
    );
  });

  describeWide("is executed once when the submit and the first look go wrong: first", () => {
    begunTogether(
      all,
      HANDLED.map((first, index) => [
        `${first}, then in another way`,
        secondsAfter(index, HANDLED).flatMap((second) => [
          () => through(["submit", first], ["search", second]),
          () => through(["submit", first], ["read", second]),
        ]),
      ]),
    );
  });

  describeWide("is executed once when", () => {
    it("no look is answered, and the service refuses the second submit", () =>
      through(
        ["submit", "cut before the first byte of the answer"],
        ["search", "503 before it is handled", 4],
      ));

    it("the networks cannot be asked", async () => {
      const match = { method: "GET", path: "/networks" };
      await local("POST", "/faults", { action: "drop_answer", match, times: 4 });
      const fresh = newClient();
      const channelId = await newChannel();
      const operation = increment();
      const { operation: submitted } = await fresh.operations.send(channelId, operation, signer);
      await checkOnce(channelId, submitted.operation_id, operation);
      await fresh.close();
      await local("DELETE", "/faults");
    });

    it("the service answers with the id alone, and the operation cannot be read", () =>
      all(
        NAMES.map((kind) => async () => {
          const channelId = await newChannel();
          proxy.alterNext("POST", `/channels/${channelId}/operations`, ({ status, body }) => ({
            status,
            body: JSON.stringify({ operation_id: JSON.parse(body).operation_id }),
          }));
          await meet(channelId, "read", kind);
          const operation = increment();
          // An id alone may be that of another operation: where it cannot be read, the operation is looked for.
          const sent = await clientFor(kind).operations.send(channelId, operation, signer);
          await checkAllMet(channelId);
          await checkOnce(channelId, sent.operation.operation_id, operation);
        }),
      ));

    it("the client gave up, and the very same is sent again", () =>
      all(
        ["reset before it is handled", "cut before the first byte of the answer"].map((kind) => async () => {
          const channelId = await newChannel();
          await meet(channelId, "submit", kind, 4);
          await meet(channelId, "search", "503 before it is handled", 4);
          const once = newClient({ maxAttempts: 1 });
          const operation = increment();
          const error = await failure(once.operations.send(channelId, operation, signer));
          await once.close();
          // Whoever reads this must not take a new id.
          should(error.code).equal("SERVICE_UNREACHABLE");
          should(error.message).containEql(String(operation.wallet_operation_id));
          should(error.message).match(/may have been accepted/);
          const again = await client.operations.send(channelId, operation, signer);
          await checkOnce(channelId, again.operation.operation_id, operation);
        }),
      ));

    it("an earlier operation of this id and content had failed, and the answer to the second is lost", async () => {
      const channelId = await newChannel();
      // Paid from a wallet that has nothing yet.
      const transactions = [
        { to: "0x00000000000000000000000000000000DeaDBeef", value: "1", data: "0x" as const },
      ];
      const operation = increment({ transactions });
      const first = await client.operations.send(channelId, operation, signer);
      const waiting = client.operations.waitFor(channelId, first.operation.operation_id, {
        target: "confirmed_latest",
      });
      should((await failure(waiting)).code).equal("OPERATION_FAILED");
      await local("POST", "/faucet", { to: wallet, amount: "1", token: "native" });
      await meet(channelId, "submit", "cut before the first byte of the answer");
      const second = await client.operations.send(channelId, operation, signer);
      should(second.operation.operation_id).not.equal(first.operation.operation_id);
      await client.operations.waitFor(channelId, second.operation.operation_id, {
        target: "confirmed_latest",
      });
      expected.push(String(operation.wallet_operation_id));
      should(await executions(String(operation.wallet_operation_id))).equal(1);
    });
  });

  describeWide("of which one is sent twice", () => {
    it("is found, however far it is", async () => {
      const channelId = await newChannel();
      const operation = increment();
      const first = await client.operations.send(channelId, operation, signer);
      should(first.found).be.false();
      for (const target of ["accepted", "confirmed_latest", "confirmed"] as const) {
        await client.operations.waitFor(channelId, first.operation.operation_id, { target });
        const again = await client.operations.send(channelId, operation, signer);
        should(again.found).be.true();
        should(again.digest).equal(first.digest);
        should(again.operation.operation_id).equal(first.operation.operation_id);
      }
      await checkOnce(channelId, first.operation.operation_id, operation);
    });

    it("by two clients at once is one operation, also when both lose their answers", () =>
      all(
        [[], ["submit"], ["submit", "search"]].map((lost) => async () => {
          const channelId = await newChannel();
          for (const call of lost as Call[]) {
            await meet(channelId, call, "cut before the first byte of the answer", 2);
          }
          const other = newClient();
          const operation = increment();
          const sent = await Promise.all(
            [client, other].map((one) => one.operations.send(channelId, operation, signer)),
          );
          await other.close();
          const [one, two] = sent.map((each) => each.operation.operation_id);
          should(one).equal(two);
          await checkOnce(channelId, one ?? "", operation);
        }),
      ));

    it("with another content is OPERATION_ID_TAKEN, and only the first is executed", async () => {
      const channelId = await newChannel();
      const operation = increment();
      const { transactions } = operation;
      const { operation: first } = await client.operations.send(channelId, operation, signer);
      const others = [
        { ...operation, transactions: [...transactions, ...transactions] },
        { ...operation, deadline: 0 },
      ];
      for (const other of others) {
        const error = await failure(client.operations.send(channelId, other, signer));
        should(error.code).equal("OPERATION_ID_TAKEN");
        should(error.message).containEql(first.operation_id);
      }
      // The same when the refusal itself is lost.
      await meet(channelId, "submit", "cut before the first byte of the answer");
      const error = await failure(client.operations.send(channelId, others[0] ?? operation, signer));
      should(error.code).equal("OPERATION_ID_TAKEN");
      await checkOnce(channelId, first.operation_id, operation);
    });

    it("by two clients at once with different contents executes one, and the other is OPERATION_ID_TAKEN", async () => {
      const channelId = await newChannel();
      const operation = increment();
      const other = { ...operation, deadline: 0 };
      const outcomes = await Promise.allSettled(
        [operation, other].map((one) => client.operations.send(channelId, one, signer)),
      );
      const codes = outcomes.map((one) => (one.status === "rejected" ? one.reason.code : "sent"));
      should(codes.sort()).deepEqual(["OPERATION_ID_TAKEN", "sent"]);
      const [sent] = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value.operation] : []));
      await checkOnce(channelId, sent?.operation_id ?? "", operation);
    });
  });

  describeWide("under a key of one's own", () => {
    /** As a flow makes it, each time anew: later by a second, so with another deadline. */
    let seconds = 900;
    const keyed = (operation_key: string, changes: Partial<NewOperation> = {}): NewOperation => {
      const { wallet_operation_id: _drawn, ...bare } = increment();
      return { ...bare, operation_key, deadline: Math.floor(Date.now() / 1000) + seconds++, ...changes };
    };
    const idOf = (key: string) =>
      walletOperationIdOf(key, { chainSelector: service.ready.chain_selector, address: wallet });
    const checkKeyOnce = (channelId: string, operationId: string, key: string) =>
      checkOnce(channelId, operationId, { ...increment(), wallet_operation_id: idOf(key) });

    it("is executed once however often it is sent, with whatever deadline, and found is told", async () => {
      const [channelId, key] = [await newChannel(), randomUUID()];
      const first = await client.operations.send(channelId, keyed(key), signer);
      should(first.found).be.false();
      should(first.operation.wallet_operation_id).equal(idOf(key));
      const asking = { ...signer, sign: () => Promise.reject(new Error("nobody is to be asked again")) };
      for (const target of ["accepted", "confirmed_latest", "confirmed"] as const) {
        await client.operations.waitFor(channelId, first.operation.operation_id, { target });
        const again = await client.operations.send(channelId, keyed(key), asking);
        should(again.found).be.true();
        // What was signed is the first, with its own deadline.
        should(again.digest).equal(first.digest);
        should(again.operation.operation_id).equal(first.operation.operation_id);
      }
      await checkKeyOnce(channelId, first.operation.operation_id, key);
    });

    it("is executed once when its submit, and then a call to look for it, is met by each failure", () =>
      all(
        NAMES.flatMap((kind, index) =>
          callsFor(index).map((call) => async () => {
            const [channelId, key] = [await newChannel(), randomUUID()];
            // The look that comes before anything is sent meets the failure of a search.
            if (call === "read") await meet(channelId, "submit", "cut before the first byte of the answer");
            await meet(channelId, call, kind);
            // What is wrong before anything was sent is an error, and the message may come again.
            const send = () => clientFor(kind).operations.send(channelId, keyed(key), signer);
            const sent = await send().catch(send);
            await checkAllMet(channelId);
            const again = await client.operations.send(channelId, keyed(key), signer);
            should(again.found).be.true();
            should(again.operation.operation_id).equal(sent.operation.operation_id);
            await checkKeyOnce(channelId, sent.operation.operation_id, key);
          }),
        ),
      ));

    it("sends nothing while it cannot look", async () => {
      const [channelId, key] = [await newChannel(), randomUUID()];
      await meet(channelId, "search", "503 before it is handled");
      const once = newClient({ maxAttempts: 1 });
      should((await failure(once.operations.send(channelId, keyed(key), signer))).code).equal(
        "SERVICE_ERROR",
      );
      await once.close();
      should(await operationsOf(channelId)).be.empty();
    });

    it("is one operation for two clients at once, also when they lose their answers", () =>
      all(
        [[], ["submit"], ["submit", "submit"]].map((lost) => async () => {
          const [channelId, key] = [await newChannel(), randomUUID()];
          if (lost.length > 0) {
            await meet(channelId, "submit", "cut before the first byte of the answer", lost.length);
          }
          const other = newClient();
          const sent = await Promise.all(
            [client, other].map((one) => one.operations.send(channelId, keyed(key), signer)),
          );
          await other.close();
          const [one, two] = sent.map(({ operation }) => operation.operation_id);
          should(one).equal(two);
          should(sent[0]?.digest).equal(sent[1]?.digest);
          await checkKeyOnce(channelId, one ?? "", key);
        }),
      ));

    it("with other calls is OPERATION_KEY_REUSED, one after the other and at once", async () => {
      const [channelId, key] = [await newChannel(), randomUUID()];
      const other = () =>
        keyed(key, { transactions: [...increment().transactions, ...increment().transactions] });
      const outcomes = await Promise.allSettled(
        [keyed(key), other()].map((one) => client.operations.send(channelId, one, signer)),
      );
      const codes = outcomes.map((one) => (one.status === "rejected" ? one.reason.code : "sent"));
      should(codes.sort()).deepEqual(["OPERATION_KEY_REUSED", "sent"]);
      const [sent] = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value.operation] : []));
      for (const target of ["accepted", "confirmed"] as const) {
        await client.operations.waitFor(channelId, sent?.operation_id ?? "", { target });
        const loser = sent?.transactions.length === 1 ? other() : keyed(key);
        const error = await failure(client.operations.send(channelId, loser, signer));
        should(error.code).equal("OPERATION_KEY_REUSED");
        should(error.message).containEql(key).and.containEql(sent?.operation_id);
      }
      await checkKeyOnce(channelId, sent?.operation_id ?? "", key);
    });

    it("may be tried again after it failed, expired or was cancelled, and then acts once", async () => {
      const [channelId, key] = [await newChannel(), randomUUID()];
      // More than the wallet has, until it is paid.
      const transactions = [{ to: wallet, value: "5", data: "0x" }];
      const failed = await client.operations.send(channelId, keyed(key, { transactions }), signer);
      const waiting = client.operations.waitFor(channelId, failed.operation.operation_id, {
        target: "confirmed_latest",
      });
      should((await failure(waiting)).code).equal("OPERATION_FAILED");
      const draft = await client.operations.draft(channelId, keyed(key, { transactions }));
      should(draft.found).be.false();
      await client.operations.cancel(channelId, draft.operation.operation_id);
      const soon = Math.floor(Date.now() / 1000) + 2;
      const expiring = await client.operations.draft(channelId, keyed(key, { transactions, deadline: soon }));
      const expired = client.operations.waitFor(channelId, expiring.operation.operation_id, {
        target: "accepted",
      });
      should((await failure(expired)).code).equal("OPERATION_EXPIRED");
      await local("POST", "/faucet", { to: wallet, amount: "5", token: "native" });
      await meet(channelId, "submit", "cut before the first byte of the answer");
      const last = await client.operations.send(channelId, keyed(key, { transactions }), signer);
      await client.operations.waitFor(channelId, last.operation.operation_id, { target: "confirmed_latest" });
      should(
        (await client.operations.send(channelId, keyed(key, { transactions }), signer)).operation,
      ).have.property("operation_id", last.operation.operation_id);
      expected.push(idOf(key));
      should(await executions(idOf(key))).equal(1);
      should(await operationsOf(channelId)).have.length(4);
    });

    it("is found however long the search does not show it", async () => {
      const [channelId, key] = [await newChannel(), randomUUID()];
      const first = await client.operations.send(channelId, keyed(key), signer);
      // One look before the submit, one after each refusal, and more.
      for (let look = 0; look < 8; look++) {
        proxy.alterNext("GET", `/channels/${channelId}/events/search`, ({ status }) => ({
          ...{ status, body: '{"events":[],"has_more":false}' },
        }));
      }
      const again = await client.operations.send(channelId, keyed(key), signer);
      should(again).have.properties({ found: true, digest: first.digest });
      should(again.operation.operation_id).equal(first.operation.operation_id);
      should(proxy.waiting(channelId)).equal(0);
      await checkKeyOnce(channelId, first.operation.operation_id, key);
    });

    it("is found when the wallet refuses a second one that the service took, and acts once", async () => {
      const [channelId, key] = [await newChannel(), randomUUID()];
      const { operation_key: _key, ...made } = keyed(key, { deadline: 0 });
      const executed = { ...made, wallet_operation_id: idOf(key) };
      await executeOnChain(service.ready, signer, executed);
      const second = await client.operations.send(channelId, keyed(key), signer);
      should(second.found).be.false();
      const { operation_id } = second.operation;
      const options = { target: "confirmed", operationKey: key, pollMs: { min: 50, max: 200 } } as const;
      const waiting = client.operations.waitFor(channelId, operation_id, options);
      const until = await failure(
        client.operations.waitFor(channelId, operation_id, { ...options, timeoutMs: 8_000 }),
      );
      should(until.code).equal("OPERATION_EXECUTED_NOT_FOUND");
      should(until.message).containEql(idOf(key));
      // Now the service learns of the one that was executed.
      const { operation: shown } = await client.operations.send(channelId, executed, signer);
      should(shown.operation_id).not.equal(operation_id);
      should(await waiting).match({ operation_id: shown.operation_id, status: "confirmed" });
      expected.push(idOf(key));
      should(await executions(idOf(key))).equal(1);
    });

    it("finds a draft as the draft it is: nobody signs it by the way", async () => {
      const [channelId, key] = [await newChannel(), randomUUID()];
      const draft = await client.operations.draft(channelId, keyed(key));
      for (const again of [
        await client.operations.draft(channelId, keyed(key)),
        await client.operations.send(channelId, keyed(key), signer),
      ]) {
        should(again).have.properties({ found: true, digest: draft.digest });
        should(again.operation.status).equal("pending_signature");
      }
      const { operation_id } = draft.operation;
      await client.operations.finalize(channelId, operation_id, signer, { digest: draft.digest });
      await checkKeyOnce(channelId, operation_id, key);
    });
  });

  describe("at the end", () => {
    it("has not been executed again when all that was late had come", async () => {
      await proxy.settled();
      await local("POST", "/mine", { blocks: 3 });
      should(new Set(expected).size).equal(expected.length);
      for (const id of expected) should(await executions(id)).equal(1);
      should(await executions()).equal(expected.length);
    });
  });
});

type Cases = ReadonlyArray<() => Promise<void>>;

/** Tests that mostly wait: all are begun before the first of them is looked at. */
function begunTogether(
  all: (cases: Cases) => Promise<void>,
  tests: ReadonlyArray<[title: string, cases: Cases]>,
): void {
  let outcomes: Array<Promise<void>> = [];
  before(() => {
    outcomes = tests.map(([, cases]) => all(cases));
    for (const outcome of outcomes) outcome.catch(() => {});
  });
  for (const [index, [title]] of tests.entries()) it(title, () => outcomes[index]);
}
