import should from "should";
import { createVerifier, verifyEvent } from "../../src/proofs/index.ts";
import type { EventEnvelope, Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { BEACON_PROXY, PROXY, placeBeaconProxy, placeProxy } from "../../test/support/forwarders.ts";
import { executeData } from "../src/chain/smart-account.ts";
import { type Api, CONFIRMED_PATH } from "./support.ts";
import { mined, rpc } from "./transactions.ts";
import { type Draft, useOperations } from "./use-operations.ts";

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe("operations of the local service", function () {
  this.timeout(120_000);
  const { call, count, draft, path, sign, signer, statuses, submit, started } = useOperations();
  let api: Api;
  let channelId: string;
  let wallet: Wallet;

  before(() => {
    ({ api, channelId, wallet } = started());
  });

  it("execute a batch, with one event for each status and a proof for each confirmed one", async () => {
    const before = await count();
    await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "5000" });
    await api.ok("POST", "/local/faucet", { to: wallet.address, amount: "10", token: "native" });
    const receiver = "0x00000000000000000000000000000000000000b2";
    const submitted = await submit(
      draft([
        call("DemoToken", "transfer", [receiver, 1234n]),
        call("Counter", "increment", []),
        { to: receiver, value: "3", data: "0x" },
      ]),
    );
    should(submitted.status).equal(201);
    should(submitted.body.status).equal("accepted");
    const confirmed = await api.until<Operation>(path(submitted.body), "confirmed");
    should(confirmed.confirmed_at).be.a.Number();
    const told = statuses(await api.events(channelId), confirmed);
    told.map((event) => event.payload.status).should.eql(CONFIRMED_PATH);
    const verifier = createVerifier({
      workflowOwner: api.ready.workflow_owner,
      validSigners: api.ready.valid_signers,
      minRequiredSignatures: api.ready.min_required_signatures,
    });
    for (const event of told) {
      const proven = String(event.payload.status).startsWith("confirmed");
      event.headers.proofs.length.should.equal(proven ? 1 : 0);
      if (proven) should((await verifier.verify(event)).verified).be.true();
    }
    (await count()).should.equal(before + 1);
  });

  it("fail with the reason of the revert, and undo the whole batch", async () => {
    const before = await count();
    const coins = (wei: bigint) => ({ to: signer.address, value: String(wei), data: "0x" });
    const tooMuch = coins(100n * 10n ** 18n);
    // A power of numbers with 1,024 bytes each costs more gas than an operation has.
    const endlessCall = {
      to: `0x${"5".padStart(40, "0")}`,
      value: "0",
      data: `0x${"400".padStart(64, "0").repeat(3)}${"f".repeat(3 * 2048)}`,
    };
    const failures: Array<[object[], RegExp]> = [
      [
        [call("Counter", "increment", []), call("Counter", "failWithReason", ["out of paper"])],
        /^transaction 2 of 2: out of paper$/,
      ],
      [
        [call("Counter", "failWithError", [7n])],
        new RegExp(`^Refused\\(caller: ${wallet.address}, amount: 7\\)$`),
      ],
      [[call("Counter", "failWithPanic", [0n])], /division/],
      [[call("DemoToken", "transfer", [signer.address, 10n ** 30n])], /^InsufficientBalance/],
      [[tooMuch], /^the wallet holds [\d.]+ ETH and needs 100 ETH$/],
      [[coins(1n), tooMuch], /^transaction 2 of 2: the wallet holds [\d.]+ ETH and needs 100\.0{17}1 ETH$/],
      // The first call could have brought coins.
      [[call("Counter", "increment", []), tooMuch], /^transaction 2 of 2: reverted without a reason$/],
      // The wallet has the coin, and the function takes none.
      [[{ ...call("Counter", "increment", []), value: "1" }], /^reverted without a reason$/],
      [[endlessCall], /^out of gas, or an invalid instruction/],
    ];
    for (const [transactions, reason] of failures) {
      const { body } = await submit(draft(transactions));
      const failed = await api.until<Operation>(path(body), "failed");
      const [last] = statuses(await api.events(channelId), failed).reverse();
      String(last?.payload.status_reason).should.match(reason);
    }
    (await count()).should.equal(before);
  });

  it("accept each wallet operation id once: while it is processed, and forever after it is executed", async () => {
    const before = await count();
    const operation = draft([call("Counter", "increment", [])]);
    const answers = await Promise.all([submit(operation), submit(operation), submit(operation)]);
    answers
      .map((answer) => answer.status)
      .sort()
      .should.eql([201, 409, 409]);
    should(answers.find((answer) => answer.status === 409)?.body).containDeep({
      type: "CONFLICT",
      code: "OPERATION_ALREADY_EXISTS",
    });
    const accepted = answers.find((answer) => answer.status === 201);
    await api.until(path(accepted?.body ?? { operation_id: "" }), "confirmed");
    should((await submit(operation)).status).equal(409);
    should(
      (await submit({ ...operation, wallet_operation_id: `000${operation.wallet_operation_id}` })).status,
    ).equal(409);
    (await count()).should.equal(before + 1);

    const failed = draft([call("Counter", "failWithReason", ["first"])]);
    const first = await submit(failed);
    await api.until(path(first.body), "failed");
    const again = await submit({ ...failed, transactions: [call("Counter", "increment", [])] });
    should(again.status).equal(201);
    await api.until(path(again.body), "confirmed_latest", "confirmed_safe", "confirmed");
  });

  it("are refused with the reason where they cannot be executed", async () => {
    const good = draft([call("Counter", "increment", [])]);
    const stranger = localEcdsaSigner(generatePrivateKey());
    const refused = async (operation: Draft, by = signer) => {
      const { status, body } = await submit(operation, by);
      return { status, type: body.type, code: body.code, message: body.message };
    };
    should(await refused(good, stranger)).containDeep({ status: 400, type: "VALIDATION_ERROR" });
    (await refused(good, stranger)).message.should.match(
      new RegExp(`signer ${stranger.address} is not allowed`),
    );
    const { signature } = await sign(good);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const highS = (CURVE_ORDER - s).toString(16).padStart(64, "0");
    const otherForms = [
      `${signature.slice(0, -2)}02`,
      `${signature.slice(0, 66)}${highS}${signature.endsWith("1b") ? "1c" : "1b"}`,
    ];
    for (const form of otherForms) {
      const answer = await api.call<{ message: string }>("POST", `/channels/${channelId}/operations`, {
        ...good,
        signature: form,
      });
      should(answer.status).equal(400);
      answer.body.message.should.match(/a recovery byte of 0, 1, 27 or 28 and have a low s/);
    }
    for (const deadline of [5, Math.floor(Date.now() / 1000)]) {
      (await refused({ ...good, deadline })).message.should.match(/deadline has passed/);
    }
    should(await refused({ ...good, address: `0x${"1".repeat(40)}` })).containDeep({
      status: 404,
      code: "WALLET_NOT_FOUND",
    });
    const post = (body: object) =>
      api.call<{ message: string }>("POST", `/channels/${channelId}/operations`, body);
    (await post({ ...good, extra: 1 })).should.containDeep({
      status: 400,
      body: { message: "The body takes no field extra." },
    });
    (await post({ ...good, transactions: [] })).body.message.should.match(
      /^transactions must be a list of 1 to 16/,
    );
    (
      await post({ ...good, transactions: [{ ...good.transactions[0], data: "0x1" }] })
    ).body.message.should.match(/^transactions\[0\]\.data must be call data/);
    (await post({ ...good, wallet_operation_id: (2n ** 256n).toString() })).body.message.should.match(
      /256 bits/,
    );
  });

  it("accept a signature with a recovery byte of 0 or 1, and return it unchanged", async () => {
    const withRecoveryBit = (signature: string) => signature.replace(/1b$/, "00").replace(/1c$/, "01");
    const before = await count();
    const operation = draft([call("Counter", "increment", [])]);
    const signature = withRecoveryBit((await sign(operation)).signature);
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, {
      ...operation,
      signature,
    });
    const other = draft([call("Counter", "increment", [])]);
    const drafted = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, other);
    const { digest, signature: ofDraft } = await sign(other);
    const change = { status: "accepted", digest, signature: withRecoveryBit(ofDraft) };
    await api.ok("PATCH", path(drafted), change);
    should(await api.until<Operation>(path(created), "confirmed")).containEql({ signature });
    should(await api.until<Operation>(path(drafted), "confirmed")).containEql({
      signature: change.signature,
    });
    should(await count()).equal(before + 2);
  });

  it("return a preview with empty execution values", async () => {
    const preview = { function_signature: "increment()", metadata: { unit: "none" } };
    const operation = draft([
      { ...call("Counter", "increment", []), preview },
      call("Counter", "increment", []),
    ]);
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
    const shown = created.transactions.map(({ preview_snapshot }) => preview_snapshot);
    should(shown).eql([{ ...preview, execution_values: {} }, undefined]);
    const [event] = statuses(await api.events(channelId), created);
    should(event?.payload.transactions).eql(created.transactions);
  });

  it("name the implementation of a proxy that a draft calls, and to what it was upgraded since", async () => {
    const { DemoToken, GuardedToken, Counter } = api.ready.contracts;
    await placeProxy(api.ready, String(DemoToken));
    await placeBeaconProxy(api.ready, String(Counter));
    const calls = [PROXY, BEACON_PROXY, String(Counter)].map((to) => ({ to, value: "0", data: "0x" }));
    const operation = draft(calls);
    const created = await api.ok<Operation>("POST", `/channels/${channelId}/operations`, operation);
    const told = ({ transactions }: Operation) =>
      transactions.map(({ implementation, upgraded_to }) => [implementation, upgraded_to]);
    const drafted = [
      [DemoToken, undefined],
      [Counter, undefined],
      [undefined, undefined],
    ];
    should(told(created)).eql(drafted);
    should(told(await api.ok("GET", path(created)))).eql(drafted);

    await placeProxy(api.ready, String(GuardedToken));
    await placeBeaconProxy(api.ready, String(DemoToken));
    const upgraded = [[DemoToken, GuardedToken], [Counter, DemoToken], drafted[2]];
    should(told(await api.ok("GET", path(created)))).eql(upgraded);
    const { digest, signature } = await sign(operation);
    const change = { status: "accepted", digest, signature };
    should(told(await api.ok("PATCH", path(created), change))).eql(upgraded);
    // What happens afterwards does not matter to the draft.
    should(told(await api.until<Operation>(path(created), "failed"))).eql(drafted);

    const signed = draft(calls);
    const { body } = await submit(signed);
    should(told(body)).eql(calls.map(() => [undefined, undefined]));
  });

  it("are sent again when their block is replaced, and executed once", async () => {
    const before = await count();
    const { body } = await submit(draft([call("Counter", "increment", [])]));
    await api.until(path(body), "confirmed_latest");
    await api.ok("POST", "/local/reorg", { depth: 2 });
    const confirmed = await api.until<Operation>(path(body), "confirmed");
    statuses(await api.events(channelId), confirmed)
      .map((event) => event.payload.status)
      .should.eql(CONFIRMED_PATH);
    (await count()).should.equal(before + 1);
  });

  it("are confirmed when the wallet has executed the same calls with their id before, and fail for other calls", async () => {
    const [increment, approve] = [
      call("Counter", "increment", []),
      call("DemoToken", "approve", [signer.address, 1n]),
    ];
    /** Like a service with the same account that has lost its data since. */
    const executeBefore = async (operation: Draft) => {
      const { from } = await api.ok<{ from: string }>("POST", "/local/faucet", { amount: "1" });
      const { signature } = await sign(operation);
      const data = executeData({ ...operation, signature } as Parameters<typeof executeData>[0]);
      await rpc(api, "anvil_impersonateAccount", [from]);
      const hash = await rpc<string>(api, "eth_sendTransaction", [{ from, to: wallet.address, data }]);
      should((await mined(api, hash)).status).equal("0x1");
      await rpc(api, "anvil_stopImpersonatingAccount", [from]);
    };
    const [same, other] = [draft([increment]), draft([increment])];
    await executeBefore(same);
    await executeBefore({ ...other, transactions: [approve] });
    const [adopted, refused] = [await submit(same), await submit(other)];
    await api.until(path(adopted.body), "confirmed");
    await api.until(path(refused.body), "failed");
  });

  it("are found by their wallet operation id", async () => {
    const operation = draft([call("Counter", "increment", [])]);
    const { body } = await submit(operation);
    const found = await api.ok<{ events: EventEnvelope[] }>(
      "GET",
      `/channels/${channelId}/events/search?type=operation.status&wallet_operation_id=${operation.wallet_operation_id}`,
    );
    should(found.events[0]?.payload).containDeep({
      operation_id: body.operation_id,
      digest: body.digest,
      status: "accepted",
    });
    if (found.events[0] !== undefined) {
      should(
        await verifyEvent(found.events[0], {
          workflowOwner: api.ready.workflow_owner,
          validSigners: api.ready.valid_signers,
          minRequiredSignatures: 3,
        }),
      ).containDeep({ verified: false, reason: "not_verifiable" });
    }
    // Another test counts what is executed.
    await api.until(path(body), "confirmed_latest", "confirmed_safe", "confirmed");
  });
});
