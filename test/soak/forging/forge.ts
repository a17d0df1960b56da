import { randomUUID } from "node:crypto";
import fc from "fast-check";
import * as Hash from "ox/Hash";
import type { EventEnvelope, OcrProof } from "../../../src/protocol/index.ts";
import { proofOf, toSignedText } from "../../proofs/fixtures.ts";
import { mutate, mutation, pathsOf } from "../../proofs/mutations.ts";

/** What a relay knows: true events that it may repeat, and true ones that belong elsewhere. */
export type Known = { own: EventEnvelope[]; foreign: readonly EventEnvelope[] };

type Signed = { chain_event?: { params?: Record<string, string>; [name: string]: unknown } };
/** Changes a copy of a true event; `others` are events that it may borrow of. */
type Forgery = (event: EventEnvelope, others: readonly EventEnvelope[]) => void;

const BILLION = 10 ** 9;

/** By its name in the counts. */
const FORGERIES: Readonly<Record<string, Forgery>> = {
  "random mutation": (event, others) => {
    for (const change of fc.sample(mutation, below(4) + 1)) {
      const paths = pathsOf(event);
      mutate(event, pick(paths) ?? [], change, others);
    }
  },
  "mutation of the signed text": (event, others) => {
    const [change] = fc.sample(mutation, 1);
    const paths = pathsOf({ payload: { verifiable_event: 1 } });
    if (change) mutate(event, paths.at(-1) ?? [], change, others);
  },
  "another value": rewriting((params) => {
    params.value = String(below(BILLION));
  }),
  "exchanged params": rewriting((params) => {
    [params.from, params.to] = [params.to ?? "", params.from ?? ""];
  }),
  "reordered params": rewriting((params) => {
    const entries = Object.entries(params).reverse();
    for (const name of Object.keys(params)) delete params[name];
    Object.assign(params, Object.fromEntries(entries));
  }),
  "another confidence": rewriting((_params, chainEvent) => {
    chainEvent.confidence = chainEvent.confidence === "finalized" ? "latest" : "finalized";
  }),
  "another log": rewriting((_params, chainEvent) => {
    chainEvent.log_index = below(1000) + 1000;
  }),
  "signed by others": (event) => {
    change(event, (params) => {
      params.value = String(below(BILLION));
    });
    event.headers.proofs = [proofOf(String(event.payload.verifiable_event))];
  },
  "proof of another event": (event, others) => {
    event.headers.proofs = structuredClone(pick(others)?.headers.proofs ?? []);
  },
  "text of another event": (event, others) => {
    event.payload.verifiable_event = pick(others)?.payload.verifiable_event;
  },
  "one signature many times": ofProof((proof) => {
    proof.signatures = proof.signatures.map(() => proof.signatures[0] as `0x${string}`);
  }),
  "fewer signatures": ofProof((proof) => {
    proof.signatures.splice(below(proof.signatures.length));
  }),
  "a changed report": ofProof((proof) => {
    proof.ocr_report = otherDigit(proof.ocr_report);
  }),
  "a changed context": ofProof((proof) => {
    proof.ocr_context = otherDigit(proof.ocr_context);
  }),
  "a changed signature": ofProof((proof) => {
    const at = below(proof.signatures.length);
    proof.signatures[at] = otherDigit(proof.signatures[at] ?? "0x");
  }),
  "other unsigned fields": (event) => {
    const { payload } = event;
    const name = pick(["watcher_id", "chain_selector", "event_hash", "status", "service"]) ?? "";
    payload[name] = pick([randomUUID(), "1", "", null, `0x${"00".repeat(32)}`, 16015286601757826]);
  },
  "another type": (event) => {
    event.headers.type = pick(["operation.status", "query.status", "watcher.status", "odd.type"]) ?? "";
  },
  "a copy under another id": (event) => {
    event.event_id = randomUUID();
  },
  "a copy with another time": (event) => {
    event.event_id = randomUUID();
    event.created_at = below(2 * BILLION);
  },
};

/** A forged event, with the name of what was done. */
export function forgedEvent({ own, foreign }: Known): { name: string; event: EventEnvelope } | undefined {
  if (below(5) === 0 && foreign.length > 0) {
    const event = structuredClone(pick(foreign) as EventEnvelope);
    return { name: "event of others", event };
  }
  const source = pick(own);
  if (source === undefined) return undefined;
  const event = structuredClone(source);
  const [name, forge] = pick(Object.entries(FORGERIES)) as [string, Forgery];
  forge(event, [...own, ...foreign]);
  return { name, event };
}

/** Any answer in JSON, with one place changed. */
export function mutatedJson(body: string, others: readonly EventEnvelope[]): string {
  if (others.length === 0) return body;
  try {
    const answer = JSON.parse(body);
    const [one] = fc.sample(mutation, 1);
    if (one) mutate(answer, pick(pathsOf(answer)) ?? [], one, others);
    return JSON.stringify(answer) ?? "";
  } catch {
    // A mutation that needs what this answer does not have.
    return body.slice(0, below(body.length));
  }
}

export function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}

export function pick<T>(all: readonly T[]): T | undefined {
  return all[below(all.length)];
}

type Rewrite = (params: Record<string, string>, chainEvent: NonNullable<Signed["chain_event"]>) => void;

/** Changes the signed text; its hash in the payload, where there is one, is made to fit. */
function rewriting(rewrite: Rewrite): Forgery {
  return (event) => change(event, rewrite);
}

function change({ payload }: EventEnvelope, rewrite: Rewrite): void {
  const signed = JSON.parse(Buffer.from(String(payload.verifiable_event), "base64").toString()) as Signed;
  if (!signed.chain_event?.params) return;
  rewrite(signed.chain_event.params, signed.chain_event);
  const text = toSignedText(signed);
  payload.verifiable_event = text;
  if ("event_hash" in payload) payload.event_hash = Hash.keccak256(Buffer.from(text), { as: "Hex" });
}

function ofProof(alter: (proof: OcrProof) => void): Forgery {
  return ({ headers }) => {
    const [proof] = headers.proofs as OcrProof[];
    if (proof) alter(proof);
  };
}

function otherDigit(hex: `0x${string}`): `0x${string}` {
  const at = 2 + below(hex.length - 2);
  const digit = ((Number.parseInt(hex[at] ?? "0", 16) + 1 + below(15)) % 16).toString(16);
  return `0x${hex.slice(2, at)}${digit}${hex.slice(at + 1)}`;
}
