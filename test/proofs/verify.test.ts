import should from "should";
import {
  type AskedQuery,
  createVerifier,
  PROOF_LIMITS,
  VERIFY_REASONS,
  type VerifyReason,
  type VerifyResult,
  verifyEvent,
  verifyQuery,
} from "../../src/proofs/index.ts";
import { type ChannelEvent, type Query, type QueryParams, ZERO_ADDRESS } from "../../src/protocol/index.ts";
import {
  caseNamed,
  configOf,
  ownConfig,
  type ProofCase,
  proofCases,
  proofOf,
  signedEvent,
  toSignedText,
} from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const WALLET = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e";

function shouldBeRejected(result: VerifyResult, reason: VerifyReason): void {
  should(result).have.properties({ verified: false, reason });
}

describe("verifyEvent", () => {
  describe("answers every worked example", () => {
    for (const proofCase of proofCases) {
      it(`${proofCase.name}: ${proofCase.why ?? proofCase.expect}`, async () => {
        const result = await verifyEvent(proofCase.event, configOf(proofCase));
        if (proofCase.expect === "verified") should(result.verified).be.true();
        else shouldBeRejected(result, proofCase.why as VerifyReason);
      });
    }
  });

  it("lists those of the set who signed, checksummed, and no stranger", async () => {
    const { event } = caseNamed("watcher.event, a stranger among enough members");
    const result = await verifyEvent(event, configOf());
    const signers = result.verified ? result.signers : [];
    should(signers.length).be.aboveOrEqual(3);
    for (const signer of signers) should(configOf().validSigners).containEql(signer);
  });

  it("takes lower-case signers, and counts one given twice once", async () => {
    const { event } = caseNamed("watcher.event, 3 of 7, v 27/28");
    const config = configOf();
    const lower = { ...config, validSigners: config.validSigners.map((signer) => signer.toLowerCase()) };
    should((await verifyEvent(event, lower)).verified).be.true();
    const [first = ""] = config.validSigners;
    const twice = { ...config, validSigners: [first, first.toLowerCase()], minRequiredSignatures: 2 };
    shouldBeRejected(await verifyEvent(event, twice), "not_configured");
  });

  it("takes the organization and tenant in place of the workflow owner", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    should((await verifyEvent(event, { ...configOf(), workflowOwner: null })).verified).be.true();
    const otherTenant = { ...configOf(), workflowOwner: null, creTenantId: "3" };
    shouldBeRejected(await verifyEvent(event, otherTenant), "workflow_owner_mismatch");
    const noTenant = { ...configOf(), workflowOwner: null, creTenantId: null };
    shouldBeRejected(await verifyEvent(event, noTenant), "not_configured");
  });

  it("says in one sentence a reason what it means, and names the field that lies", async () => {
    const messages = new Set<string>();
    for (const proofCase of proofCases) {
      const result = await verifyEvent(proofCase.event, configOf(proofCase));
      if (!result.verified) messages.add(result.message);
    }
    should(messages.size).be.aboveOrEqual(VERIFY_REASONS.length);
    const { event } = caseNamed("operation.status address field lies");
    should(await verifyEvent(event, configOf()))
      .have.property("message")
      .match(/address/);
  });

  it("skips proof items of another shape", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    event.headers.proofs.unshift(null, 7, "text", [], { alg: "ecdsa-secp256k1", signatures: "0x" });
    should((await verifyEvent(event, configOf())).verified).be.true();
  });

  it("takes ids that differ only in leading zeros or case", async () => {
    const { event } = caseNamed("operation.status confirmed");
    const { payload } = event;
    payload.wallet_operation_id = `000${payload.wallet_operation_id}`;
    payload.address = String(payload.address).toLowerCase();
    should((await verifyEvent(event, configOf())).verified).be.true();
  });

  it("refuses a signed status dressed up as a contract event", async () => {
    for (const name of ["operation.status confirmed", "query.status completed"]) {
      const { event } = caseNamed(name);
      const { verifiable_event, verifiable_result, ...rest } = event.payload;
      event.headers.type = "watcher.event";
      event.payload = {
        ...rest,
        watcher_id: "5111df5c-0f30-42b1-a8f6-f8a6cca47791",
        verifiable_event: verifiable_event ?? verifiable_result,
      };
      shouldBeRejected(await verifyEvent(event, configOf()), "malformed_event");
    }
  });

  it("refuses a contract event dressed up as an operation's status", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    event.headers.type = "operation.status";
    Object.assign(event.payload, { status: "confirmed", wallet_operation_id: "1", address: WALLET });
    shouldBeRejected(await verifyEvent(event, configOf()), "malformed_event");
  });

  it("compares the channel where one is known, and an event's own channel with it", async () => {
    const { event } = caseNamed("query.status completed");
    const channelId = "7e77863e-8c8d-44b2-a0e0-45cad1325017";
    const other = "00000000-0000-4000-8000-000000000000";
    const verifier = createVerifier({ ...configOf(), channelId });
    should((await verifier.verify(event)).verified).be.true();
    shouldBeRejected(await verifier.verify(event, { channelId: other }), "unsigned_field_mismatch");
    shouldBeRejected(await verifier.verify({ ...event, channel_id: other }), "unsigned_field_mismatch");
  });

  it("tells a status whose proof is on its way from one that was cut", async () => {
    const { event } = caseNamed("operation.status confirmed");
    const { verifiable_event: _, ...rest } = event.payload;
    const cut = { ...event, payload: rest };
    shouldBeRejected(await verifyEvent(cut, configOf()), "malformed_event");
    const early = { ...cut, headers: { ...event.headers, proofs: [] } };
    shouldBeRejected(await verifyEvent(early, configOf()), "no_proof");
  });

  it("reads the type from the top where the header has none", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const { type, ...headers } = event.headers;
    const older = { ...event, type, headers } as unknown as ChannelEvent;
    should((await verifyEvent(older, configOf())).verified).be.true();
  });

  it("compares chain selectors that came as JSON numbers", async () => {
    const log = { chain_id: "1337", tx_hash: "0x", address: WALLET, log_index: 0 };
    const json = `{"name":"Ping","chain_selector":${SELECTOR},"chain_event":${JSON.stringify(log)}}`;
    const payload = { watcher_id: "w", chain_selector: SELECTOR };
    should((await verifyEvent(signedEvent("watcher.event", json, payload), ownConfig)).verified).be.true();
    const lie = { ...payload, chain_selector: "16015286601757825752" };
    shouldBeRejected(
      await verifyEvent(signedEvent("watcher.event", json, lie), ownConfig),
      "unsigned_field_mismatch",
    );
  });

  it("takes the chain from the signed chain id where no selector is signed", async () => {
    const judged = (chain_id: unknown, chain_selector: string) => {
      const chain_event = { chain_id, tx_hash: "0x", address: WALLET, log_index: 0 };
      const payload = { watcher_id: "w", chain_selector };
      return verifyEvent(signedEvent("watcher.event", { name: "Ping", chain_event }, payload), ownConfig);
    };
    const mainnet = "5009297550715157269";
    should((await judged("11155111", SELECTOR)).verified).be.true();
    should((await judged(11155111, SELECTOR)).verified).be.true();
    should((await judged("424242", "4242")).verified).be.true();
    should((await judged(undefined, SELECTOR)).verified).be.true();
    shouldBeRejected(await judged("11155111", mainnet), "unsigned_field_mismatch");
    shouldBeRejected(await judged("424242", mainnet), "unsigned_field_mismatch");
    shouldBeRejected(await judged("11155111", "4242"), "unsigned_field_mismatch");
  });

  it("refuses signed content that is not JSON in base64", async () => {
    const texts = ["not base64!", "abc", toSignedText("{"), toSignedText("[]"), toSignedText("null"), ""];
    const invalidUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString("base64");
    for (const text of [...texts, invalidUtf8]) {
      const event = signedEvent("watcher.event", "{}", { watcher_id: "w", chain_selector: SELECTOR });
      event.payload.verifiable_event = text;
      event.headers.proofs = [proofOf(text)];
      shouldBeRejected(await verifyEvent(event, ownConfig), "malformed_event");
    }
  });

  it("refuses a query with both a result and an error, or with neither", async () => {
    const target = { from_address: WALLET, contract_address: WALLET, call_data: "0x" };
    for (const answer of [{}, { result: { raw_return_data: "0x" }, error: { code: "X", message: "" } }]) {
      const data = { query_id: "q", channel_id: "c", target, ...answer };
      const payload = { query_id: "q", status: "completed", target: WALLET, chain_selector: SELECTOR };
      const event = signedEvent("query.status", { name: "ChainQuery", data }, payload);
      shouldBeRejected(await verifyEvent(event, ownConfig), "malformed_event");
    }
  });
});

describe("verifyEvent on hostile input", () => {
  const throwing = new Proxy(
    {},
    {
      get() {
        throw new Proxy(
          {},
          {
            getPrototypeOf() {
              throw new Error("even asking hurts");
            },
          },
        );
      },
    },
  );
  const valid = (): ProofCase => caseNamed("watcher.event, all 7");
  const withText = (text: string): unknown => {
    const { event } = valid();
    return { ...event, payload: { ...event.payload, verifiable_event: text } };
  };
  const hostile: Record<string, () => unknown> = {
    nothing: () => undefined,
    null: () => null,
    "a number": () => 7,
    "a list": () => [],
    "a function": () => () => 1,
    "an object whose getters throw what cannot be looked at": () => throwing,
    "a payload of that kind": () => ({ ...valid().event, payload: throwing }),
    "proofs of that kind": () => ({
      ...valid().event,
      headers: { type: "watcher.event", proofs: [throwing] },
    }),
    "a type called __proto__": () => ({ headers: { type: "__proto__", proofs: [] }, payload: {} }),
    "a type called constructor": () => ({ headers: { type: "constructor", proofs: [] }, payload: {} }),
    "a payload called __proto__": () =>
      JSON.parse('{"headers":{"type":"watcher.event"},"__proto__":{"a":1}}'),
    "a million proofs": () => ({
      ...valid().event,
      headers: { type: "watcher.event", proofs: new Array(1e6).fill({}) },
    }),
    "deep JSON": () => withText(toSignedText(`{"name":${"[".repeat(5e5)}${"]".repeat(5e5)}}`)),
    "deep JSON with big numbers": () =>
      withText(toSignedText(`{"name":"a","b":${"[".repeat(4e5)}1,12345678901234567890${"]".repeat(4e5)}}`)),
    "a number with an exponent of a billion": () => withText(toSignedText('{"name":"a","b":1e999999999}')),
    "signed text of megabytes": () => withText("A".repeat(PROOF_LIMITS.signedText + 4)),
  };
  for (const [name, make] of Object.entries(hostile)) {
    it(`says no to ${name}`, async () => {
      const result = await verifyEvent(make() as ChannelEvent, configOf());
      should(result.verified).be.false();
    });
  }

  it("says no to a million signatures, and to megabytes of hex", async () => {
    for (const change of [
      { signatures: new Array(1e6).fill("0x00") },
      { ocr_report: `0x${"00".repeat(PROOF_LIMITS.hex)}` },
    ]) {
      const { event } = valid();
      Object.assign(event.headers.proofs[0] as object, change);
      shouldBeRejected(await verifyEvent(event, configOf()), "malformed_proof");
    }
  });

  it("says not_configured to a configuration of any other shape", async () => {
    for (const config of [undefined, null, {}, throwing, { validSigners: 7 }, { validSigners: ["0x1"] }]) {
      shouldBeRejected(await verifyEvent(valid().event, config as never), "not_configured");
    }
    for (const minRequiredSignatures of [0, -1, 1.5, Number.NaN, "3", undefined]) {
      const config = { ...configOf(), minRequiredSignatures } as never;
      shouldBeRejected(await verifyEvent(valid().event, config), "not_configured");
    }
  });
});

describe("verifyAll", () => {
  it("answers in order and lets timers run in between", async () => {
    const events = proofCases.filter(({ config }) => config === undefined).map(({ event }) => event);
    const many = [...events, ...events, ...events];
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const results = await createVerifier(configOf()).verifyAll(many);
    clearInterval(timer);
    should(turns).be.above(0);
    should(results.map(({ verified }) => verified)).deepEqual(
      await Promise.all(many.map(async (event) => (await verifyEvent(event, configOf())).verified)),
    );
  });
});

describe("verifyQuery", () => {
  /** The resource as the service would answer for the query of a status event. */
  function queryOf(name: string): Query {
    const { payload, headers } = caseNamed(name).event;
    return {
      ...payload,
      channel_id: "7e77863e-8c8d-44b2-a0e0-45cad1325017",
      query_kind: "evm_call",
      proof: headers.proofs[0],
    } as unknown as Query;
  }

  it("accepts the proof itself, or a list of it", async () => {
    for (const name of ["query.status completed", "query.status failed"]) {
      const query = queryOf(name);
      const { verified } = await verifyQuery(
        { ...query, channel_id: await signedChannel(query) },
        configOf(),
      );
      should(verified).be.true();
      const listed = { ...query, channel_id: await signedChannel(query), proof: [query.proof] };
      should((await verifyQuery(listed, configOf())).verified).be.true();
    }
  });

  it("rejects by the same reasons as for the event", async () => {
    const query = queryOf("query.status completed");
    shouldBeRejected(await verifyQuery({ ...query, proof: undefined }, configOf()), "no_proof");
    shouldBeRejected(await verifyQuery({ ...query, status: "sent" }, configOf()), "not_verifiable");
    shouldBeRejected(
      await verifyQuery({ ...query, status: "failed" }, configOf()),
      "unsigned_field_mismatch",
    );
    shouldBeRejected(
      await verifyQuery({ ...query, channel_id: "other" }, configOf()),
      "unsigned_field_mismatch",
    );
    shouldBeRejected(await verifyQuery(undefined as never, configOf()), "malformed_event");
  });

  it("takes an answer only as the one to what was asked, where that is given", async () => {
    const resource = queryOf("query.status completed");
    const query = { ...resource, channel_id: await signedChannel(resource) };
    const params: QueryParams = {
      contract_address: query.target.toLowerCase(),
      call_data: "18160DDD",
      block_selection: { type: "finalized" },
    };
    const asked: AskedQuery = { queryId: query.query_id, chainSelector: query.chain_selector, params };
    const judged = (changes: Partial<AskedQuery>) =>
      verifyQuery(query, { ...configOf(), asked: { ...asked, ...changes } });
    should((await judged({})).verified).be.true();
    should((await judged({ params: { ...params, from_address: ZERO_ADDRESS } })).verified).be.true();

    const otherParams: Array<[string, Partial<QueryParams>]> = [
      ["contract_address", { contract_address: WALLET }],
      ["from_address", { from_address: WALLET }],
      ["call_data", { call_data: "0x18160ddd00" }],
      ["block_selection", { block_selection: { type: "latest" } }],
      ["block_selection", { block_selection: { type: "block_number", block_number: "6500000" } }],
    ];
    const others: Array<[string, Partial<AskedQuery>]> = [
      ["query_id", { queryId: "7c9e6679-7425-40de-944b-e07fc1f90ae7" }],
      ["chain_selector", { chainSelector: "5009297550715157269" }],
      ...otherParams.map(([field, changes]): [string, Partial<AskedQuery>] => [
        field,
        { params: { ...params, ...changes } },
      ]),
    ];
    for (const [field, changes] of others) {
      const result = await judged(changes);
      shouldBeRejected(result, "unsigned_field_mismatch");
      should(result)
        .have.property("message")
        .match(new RegExp(`another ${field} than was asked`));
    }
  });

  it("reads the number of a block asked for as a number", async () => {
    const data = {
      query_id: "q",
      channel_id: "c",
      target: { from_address: ZERO_ADDRESS, contract_address: WALLET, call_data: "0x" },
      block_selection: { requested: { type: "block_number", block_number: "12" } },
      result: { raw_return_data: "0x" },
    };
    const payload = { query_id: "q", status: "completed", target: WALLET, chain_selector: SELECTOR };
    const event = signedEvent("query.status", { chain_selector: SELECTOR, data }, payload);
    const query = { ...event.payload, proof: event.headers.proofs } as unknown as Query;
    const judged = (block_number: string) => {
      const block_selection = { type: "block_number", block_number } as const;
      const params = { contract_address: WALLET, call_data: "0x", block_selection };
      const asked = { queryId: "q", chainSelector: SELECTOR, params };
      return verifyQuery(query, { ...ownConfig, asked });
    };
    should((await judged("0012")).verified).be.true();
    shouldBeRejected(await judged("13"), "unsigned_field_mismatch");
  });

  async function signedChannel(query: Query): Promise<string> {
    const text = Buffer.from(query.verifiable_result ?? "", "base64").toString();
    return JSON.parse(text).data.channel_id;
  }
});
