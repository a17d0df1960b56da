import should from "should";
import { createVerifier, decodeEvent, PROOF_LIMITS, type VerifyConfig } from "../../src/proofs/index.ts";
import { type EventEnvelope, type OcrProof, type Query, ZERO_ADDRESS } from "../../src/protocol/index.ts";
import { caseNamed, configOf, ownConfig, proofCases, shouldBeRejected, signedEvent } from "./fixtures.ts";

const SELECTOR = "16015286601757825753";
const WALLET = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e";

type Parts = { payload: Record<string, unknown>; signed: Record<string, unknown> };

/** What an event of each type consists of, without a fault. */
const parts: Record<string, Parts> = {
  "watcher.event": {
    payload: { watcher_id: "w", chain_selector: SELECTOR },
    signed: { name: "Ping", chain_event: { chain_id: "11155111", tx_hash: "0x", address: WALLET } },
  },
  "operation.status": {
    payload: {
      status: "confirmed",
      operation_id: "o",
      wallet_operation_id: "1",
      address: WALLET,
      chain_selector: SELECTOR,
    },
    signed: {
      chain_selector: SELECTOR,
      data: { status: "confirmed", wallet_operation_id: "1", wallet_address: WALLET },
    },
  },
  "query.status": {
    payload: { status: "completed", query_id: "q", target: WALLET, chain_selector: SELECTOR },
    signed: {
      chain_selector: SELECTOR,
      data: {
        query_id: "q",
        channel_id: "c",
        target: { from_address: ZERO_ADDRESS, contract_address: WALLET, call_data: "0x" },
        block_selection: { requested: { type: "latest" } },
        result: { raw_return_data: "0x" },
      },
    },
  },
  "watcher.status": {
    payload: { status: "active", watcher_id: "w", chain_selector: SELECTOR },
    signed: {},
  },
  "wallet.status": {
    payload: { status: "deployed", wallet_id: "w", chain_selector: SELECTOR },
    signed: {},
  },
};

/** An event of which one value is another: `path` leads to it, as `signed.data.status`. */
function eventWith(type: string, path: string, value: unknown): EventEnvelope {
  const { payload, signed } = structuredClone(parts[type] as Parts);
  const names = path.split(".");
  const last = names.pop() ?? "";
  const target = names.reduce<Record<string, unknown>>(
    (object, name) => object[name] as Record<string, unknown>,
    { payload, signed },
  );
  target[last] = value;
  return signedEvent(type, signed, payload);
}

/** The type, what is wrong, and what the sentence calls it. */
const unreadable: Array<[type: string, path: string, says: string]> = [
  ["watcher.event", "payload.watcher_id", "watcher_id is not text"],
  ["watcher.event", "payload.chain_selector", "chain_selector is not an integer"],
  ["watcher.event", "payload.event_hash", "event_hash is not text"],
  ["watcher.event", "signed.name", "the signed name is not text"],
  ["watcher.event", "signed.chain_event", "the signed chain_event is not an object"],
  ["watcher.event", "signed.chain_event.chain_id", "the signed chain_id is not an integer"],
  ["watcher.event", "signed.chain_selector", "the signed chain_selector is not an integer"],
  ["operation.status", "payload.status", "status is not text"],
  ["operation.status", "payload.operation_id", "operation_id is not text"],
  ["operation.status", "payload.wallet_operation_id", "wallet_operation_id is not an integer"],
  ["operation.status", "payload.address", "address is not text"],
  ["operation.status", "payload.chain_selector", "chain_selector is not an integer"],
  ["operation.status", "signed.data", "the signed data is not an object"],
  ["operation.status", "signed.data.status", "the signed status is not text"],
  ["operation.status", "signed.data.wallet_operation_id", "the signed wallet_operation_id is not an integer"],
  ["operation.status", "signed.data.wallet_address", "the signed wallet_address is not text"],
  ["query.status", "payload.status", "status is not text"],
  ["query.status", "payload.query_id", "query_id is not text"],
  ["query.status", "payload.target", "target is not text"],
  ["query.status", "payload.chain_selector", "chain_selector is not an integer"],
  ["query.status", "signed.data", "the signed data is not an object"],
  ["query.status", "signed.data.target", "the signed target is not an object"],
  ["query.status", "signed.data.channel_id", "the signed channel_id is not text"],
  ["query.status", "signed.data.query_id", "the signed query_id is not text"],
  ["query.status", "signed.data.target.contract_address", "the signed contract_address is not text"],
  ["watcher.status", "payload.watcher_id", "watcher_id is not text"],
  ["watcher.status", "payload.status", "status is not text"],
  ["wallet.status", "payload.wallet_id", "wallet_id is not text"],
  ["wallet.status", "payload.status", "status is not text"],
];

describe("the message of a rejection", () => {
  const messageOf = async (event: unknown, config: VerifyConfig = ownConfig) => {
    const result = await createVerifier(config).verify(event as EventEnvelope);
    return result.verified ? "" : result.message;
  };

  it("is a sentence, with a detail in brackets where there is one", async () => {
    for (const proofCase of proofCases.filter(({ expect }) => expect === "rejected")) {
      should(await messageOf(proofCase.event, configOf(proofCase))).match(/^[A-Z].{60,}\.(?: \(.{5,}\))?$/);
    }
  });

  for (const [type, path, says] of unreadable) {
    it(`names ${path} of a ${type} that cannot be read`, async () => {
      const wrong = path.endsWith("chain_id") ? "sepolia" : true;
      const event = eventWith(type, path, wrong);
      shouldBeRejected(await createVerifier(ownConfig).verify(event), "malformed_event");
      should(await messageOf(event)).endWith(`(${says})`);
    });
  }

  it("does not read an id from a list", async () => {
    const event = eventWith("watcher.event", "payload.chain_selector", [SELECTOR]);
    should(await messageOf(event)).endWith("(chain_selector is not an integer)");
  });

  it("names the part of the event that is missing", async () => {
    const good = caseNamed("watcher.event, all 7").event;
    const { verifiable_event: _, ...rest } = good.payload;
    for (const [event, says] of [
      [undefined, "the event is not an object"],
      [{ ...good, headers: undefined }, "headers is not an object"],
      [{ ...good, headers: { ...good.headers, type: undefined } }, "type is not text"],
      [{ ...good, payload: [] }, "payload is not an object"],
      [{ ...good, payload: rest }, "verifiable_event is missing"],
      [{ ...good, payload: { ...rest, verifiable_event: "e30" } }, "verifiable_event does not parse"],
      [{ ...good, headers: { ...good.headers, proofs: {} } }, "proofs is not a list"],
    ] as const) {
      should(await messageOf(event)).endWith(`(${says})`);
    }
  });

  it("names what is wrong with a proof", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const [proof] = event.headers.proofs as OcrProof[];
    const messageFor = (changes: object) =>
      messageOf({ ...event, headers: { ...event.headers, proofs: [{ ...proof, ...changes }] } }, configOf());
    should(await messageFor({ ocr_report: "0xzz" })).endWith("(the report is not hex)");
    should(await messageFor({ ocr_report: `x${proof?.ocr_report}` })).endWith("(the report is not hex)");
    should(await messageFor({ ocr_report: "0x00" })).endWith("(the report is too short)");
    should(await messageFor({ ocr_context: "0xz" })).endWith("(the context is not hex)");
    should(await messageFor({ signatures: ["0xz"] })).endWith("(a signature is not hex)");
    should(await messageFor({ signatures: ["0x00"] })).endWith("(a signature is not valid)");
    const signatures = new Array(PROOF_LIMITS.signatures + 1).fill("0x00");
    should(await messageFor({ signatures })).endWith("(too many signatures)");
    const proofs = new Array(PROOF_LIMITS.proofs + 1).fill({});
    should(await messageOf({ ...event, headers: { ...event.headers, proofs } })).endWith("(too many proofs)");
  });

  it("names the part of the configuration that is missing", async () => {
    const { event } = caseNamed("watcher.event, all 7");
    const { orgId: _, workflowOwner: __, ...nobody } = configOf();
    const [first = ""] = nobody.validSigners;
    for (const [config, says] of [
      [{ ...configOf(), validSigners: [] }, "there are no signers"],
      [{ ...configOf(), validSigners: [first, "0x12"] }, "a signer is not an address"],
      [{ ...configOf(), validSigners: [first] }, "the threshold must be from 1 to 1"],
      [{ ...configOf(), minRequiredSignatures: 0 }, "the threshold must be from 1 to 7"],
      [{ ...configOf(), workflowOwner: "0x12" }, "the workflow owner is not an address"],
      [{ ...configOf(), workflowOwner: null, creTenantId: null }, "the CRE tenant is missing"],
      [nobody, "neither organization id nor workflow owner"],
    ] as const) {
      should(await messageOf(event, config)).endWith(`(${says})`);
    }
  });

  it("names what an answer does not say about its query", async () => {
    const block_selection = { type: "latest" } as const;
    const params = { contract_address: WALLET, call_data: "0x", block_selection };
    const requested = { queryId: "q", chainSelector: SELECTOR, params };
    for (const [path, says] of [
      ["signed.data.block_selection", "the signed block_selection is not an object"],
      ["signed.data.block_selection.requested", "the requested block is not an object"],
      ["signed.data.block_selection.requested.type", "the block's type is not text"],
      ["signed.data.target.from_address", "the signed from_address is not text"],
      ["signed.data.target.call_data", "the signed call_data is not text"],
    ] as const) {
      const { payload, headers } = eventWith("query.status", path, true);
      const query = { ...payload, proof: headers.proofs } as unknown as Query;
      const result = await createVerifier(ownConfig).verifyQuery(query, { requested });
      shouldBeRejected(result, "malformed_event");
      should(result.verified ? "" : result.message).endWith(`(${says})`);
    }
  });
});

describe("the error of decodeEvent for an event that it cannot read", () => {
  for (const [type, path, says] of [
    ["watcher.event", "payload.watcher_id", "watcher_id is not text"],
    ["watcher.event", "payload.chain_selector", "chain_selector is not an integer"],
    ["watcher.event", "signed.name", "name is not text"],
    ["watcher.event", "signed.chain_event", "chain_event is not an object"],
    ["watcher.event", "signed.chain_event.params", "params is not an object"],
    ["watcher.event", "signed.chain_event.address", "contract is not text"],
    ["watcher.event", "signed.chain_event.log_index", "logIndex is not an integer"],
    ["operation.status", "payload.operation_id", "operation_id is not text"],
    ["operation.status", "signed.data", "data is not an object"],
    ["operation.status", "signed.data.status", "status is not text"],
    ["operation.status", "signed.data.status_reason", "status_reason is not text"],
    ["operation.status", "signed.data.wallet_operation_id", "wallet_operation_id is not an integer"],
    ["operation.status", "signed.data.wallet_address", "address is not text"],
    ["query.status", "payload.status", "status is not text"],
    ["query.status", "payload.query_id", "query_id is not text"],
    ["query.status", "payload.target", "target is not text"],
    ["query.status", "signed.data", "data is not an object"],
    ["query.status", "signed.data.result.raw_return_data", "result is not text"],
    ["query.status", "signed.data.error", "error is not an object"],
    ["query.status", "signed.data.block_selection.resolved", "the resolved block is not an object"],
    ["watcher.status", "payload.status", "status is not text"],
    ["watcher.status", "payload.watcher_id", "watcher_id is not text"],
    ["watcher.status", "payload.status_reason", "status_reason is not text"],
    ["wallet.status", "payload.status", "status is not text"],
    ["wallet.status", "payload.wallet_id", "wallet_id is not text"],
    ["wallet.status", "payload.chain_selector", "chain_selector is not an integer"],
  ] as const) {
    it(`names ${path} of a ${type}`, () => {
      should(() => decodeEvent(eventWith(type, path, true))).throw({
        code: "MALFORMED_EVENT",
        message: new RegExp(`: ${says}\\. Do not act on it`),
      });
    });
  }

  it("names the payload, and the event itself", () => {
    should(() => decodeEvent({ headers: {}, payload: 7 } as never)).throw(/: payload is not an object\./);
    should(() => decodeEvent(undefined as never)).throw(/: the event is not an object\./);
  });
});
