import {
  computeAddress,
  concat,
  dataSlice,
  keccak256,
  N,
  SigningKey,
  toBeHex,
  toUtf8Bytes,
  zeroPadValue,
} from "ethers";
import fc from "fast-check";
import should from "should";
import type { EventEnvelope } from "../../src/protocol/index.ts";
import { sized } from "../support/variants.ts";
import { onEngine } from "./engines.ts";
import { judgeWithEthers } from "./ethers-verifier.ts";

/** The first five are the oracles. The others are unknown signers. */
const KEYS = [1, 2, 3, 4, 5, 6, 7].map((seed) => new SigningKey(keccak256(zeroPadValue(toBeHex(seed), 32))));
const SIGNERS = KEYS.slice(0, 5).map((key) => computeAddress(key.publicKey).toLowerCase());
const OWNER = "0x61c4db60e1a220001201d6f4ec1244bf1f0b56c6";
const ADDRESSES = [
  "0x66e1BB813E19adD1B0EF1e2258f8399E7440457e",
  "0x5b571A50AC6cB524730C8419EBe452703139809A",
];

const hex = (min: number, max = min) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const id = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map(String);
/** Mostly the first: most proofs shall fail for one reason at most. */
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const signature = fc.record({
  key: fc.oneof(
    { weight: 9, arbitrary: fc.nat(4) },
    { weight: 1, arbitrary: fc.integer({ min: 5, max: 6 }) },
  ),
  highS: fc.boolean(),
  fromZero: fc.boolean(),
});
const scenario = fc.record({
  type: fc.constantFrom("watcher.event", "operation.status", "query.status"),
  /** Of which of the three kinds the signed text is, counted from the type. */
  kind: mostly(0, 1, 2),
  status: fc.nat(2),
  answer: mostly("one", "both", "none"),
  selector: id,
  ids: fc.tuple(id, fc.uuid()),
  address: fc.constantFrom(...ADDRESSES),
  lie: fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...["chain_selector", "status", "wallet_operation_id", "address", "query_id", "target"],
      ),
    },
  ),
  eventHash: mostly("right", "none", "wrong"),
  owner: mostly(OWNER, `0x${"00".repeat(20)}`),
  reportHash: mostly("right", "wrong"),
  fields: hex(87),
  payload: hex(0, 70),
  context: hex(0, 100),
  signatures: fc.array(signature, { minLength: 0, maxLength: 7 }),
  /** One more signature, as it is. */
  odd: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: hex(60, 70) }),
  spoil: mostly<string | undefined>(
    undefined,
    "short report",
    "odd hex",
    "no 0x",
    "v",
    "zero",
    "r too large",
  ),
  proofs: mostly(1, 0, 2),
  threshold: fc.integer({ min: 1, max: 5 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const KINDS = ["watcher.event", "operation.status", "query.status"];
const CONFIRMED = ["confirmed_latest", "confirmed_safe", "confirmed"];

function eventOf(given: Scenario): EventEnvelope {
  const { type, ids, address, selector } = given;
  const operationStatus = CONFIRMED[given.status] ?? "";
  const queryStatus = given.status === 0 ? "failed" : "completed";
  const answers = {
    one: queryStatus === "completed" ? { result: {} } : { error: {} },
    both: { result: {}, error: {} },
    none: {},
  };
  const contents: Record<string, object> = {
    "watcher.event": { name: "Ping", chain_event: { address, log_index: given.status } },
    "operation.status": {
      data: { wallet_operation_id: ids[0], wallet_address: address, status: operationStatus },
    },
    "query.status": {
      data: {
        query_id: ids[1],
        channel_id: "c",
        target: { contract_address: address },
        block_selection: { requested: { type: "latest" } },
        ...answers[given.answer as "one"],
      },
    },
  };
  const kind = KINDS[(KINDS.indexOf(type) + given.kind) % 3] ?? type;
  // What no watcher says is said in the platform's own name.
  const service = kind === "watcher.event" ? {} : { service: "_crec" };
  const signed = { ...service, name: "Thing", chain_selector: selector, ...contents[kind] };
  const text = Buffer.from(JSON.stringify(signed)).toString("base64");
  const hash = keccak256(toUtf8Bytes(text));
  const payload: Record<string, unknown> = {
    ...{
      watcher_id: "w",
      operation_id: "o",
      chain_selector: selector,
      address,
      target: address.toLowerCase(),
    },
    ...{ wallet_operation_id: ids[0], query_id: ids[1] },
    status: type === "query.status" ? queryStatus : operationStatus,
    [type === "query.status" ? "verifiable_result" : "verifiable_event"]: text,
  };
  if (given.eventHash !== "none") payload.event_hash = given.eventHash === "right" ? hash : keccak256(hash);
  if (given.lie !== undefined) payload[given.lie] = lieAbout(given.lie, type);
  return {
    event_id: "e",
    headers: { type, offset: 1, proofs: new Array(given.proofs).fill(proofOf(given, hash)) },
    payload,
  };
}

function lieAbout(field: string, type: string): string {
  if (field === "status") return type === "query.status" ? "sent" : "confirmed";
  return field === "address" || field === "target" ? `0x${"11".repeat(20)}` : "7";
}

function proofOf(given: Scenario, hash: string): object {
  const signedHash = given.reportHash === "right" ? hash : keccak256(hash);
  const whole = concat([given.fields, given.owner, "0x0001", given.payload, signedHash]);
  const ocr_report = given.spoil === "short report" ? dataSlice(whole, 0, 140) : whole;
  const digest = keccak256(concat([keccak256(ocr_report), given.context]));
  const signatures = given.signatures.map(({ key, highS, fromZero }) => {
    const { r, s, yParity } = (KEYS[key] as SigningKey).sign(digest);
    const parity = highS ? 1 - yParity : yParity;
    const written = highS ? toBeHex(N - BigInt(s), 32) : s;
    return concat([r, written, toBeHex(parity + (fromZero ? 0 : 27), 1)]);
  });
  const [first, ...rest] = signatures;
  const spoilt = first === undefined ? [] : [spoil(first, given.spoil), ...rest];
  return {
    alg: "ecdsa-secp256k1",
    ocr_report: given.spoil === "no 0x" ? ocr_report.slice(2) : ocr_report,
    ocr_context: given.spoil === "odd hex" ? `${given.context}0` : given.context,
    signatures: given.odd === undefined ? spoilt : [...spoilt, given.odd],
  };
}

function spoil(signature: string, how: string | undefined): string {
  if (how === "v") return concat([dataSlice(signature, 0, 64), "0x02"]);
  if (how === "zero") return concat([dataSlice(signature, 0, 32), new Uint8Array(32), "0x1b"]);
  if (how === "r too large") return concat([toBeHex(N, 32), dataSlice(signature, 32)]);
  return signature;
}

describe("the verifier and one written with ethers", function () {
  this.timeout(120_000);

  it("return the same result, on each engine", async () => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const event = eventOf(given);
        const { threshold } = given;
        const expected = judgeWithEthers(event, { owner: OWNER, signers: SIGNERS, threshold });
        // To sign and to judge takes longest: it is done once for all engines.
        for (const [engine, verifierOf] of Object.entries(onEngine)) {
          const verifier = verifierOf({
            workflowOwner: OWNER,
            validSigners: SIGNERS,
            minRequiredSignatures: threshold,
          });
          const result = await verifier.verify(event);
          should(result.verified ? "verified" : result.reason).equal(expected, engine);
        }
        outcomes.set(expected, (outcomes.get(expected) ?? 0) + 1);
      }),
      { numRuns: sized(300, 600) },
    );
    should(outcomes.size).be.aboveOrEqual(7);
    should(outcomes.get("verified")).be.above(20);
  });
});
