import { type AbiFunction, decodeAbiParameters, formatUnits, toFunctionSelector } from "viem";
import { readSignedPayload } from "../../../src/proofs/signed-event.ts";
import type { EventEnvelope, OcrProof, OperationStatus } from "../../../src/protocol/index.ts";
import { artifact, DEPLOYED_NAMES, type Deployed } from "../chain/demo/contracts.ts";
import type { Context } from "../context.ts";
import { defined } from "../store/rows.ts";
import { idAt, type TimelineRow } from "../store/timeline.ts";
import type { TimelineEntry } from "./entry.ts";

type Fields = Readonly<Record<string, unknown>>;
type Part = Partial<Record<keyof TimelineEntry, unknown>> & Pick<TimelineEntry, "kind" | "subject">;

type Amount = NonNullable<TimelineEntry["amount"]>;
type Call = NonNullable<TimelineEntry["calls"]>[number];

type Transaction = { to: string; value: string; data: string };

const SHOWN_CALLS = 3;
const MAX_TEXT = 300;
/** Of an operation: before these statuses it has no transaction. */
const ON_CHAIN: readonly string[] = [
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
] satisfies OperationStatus[];

/** The demo contracts that are tokens. */
const TOKENS: Readonly<Record<string, { symbol: string; decimals: number }>> = {
  DemoToken: { symbol: "DEMO", decimals: 18 },
  GuardedToken: { symbol: "GUARD", decimals: 18 },
};

/** `0x` and four bytes. */
const SELECTOR_LENGTH = 10;
const COIN = { symbol: "coins", decimals: 18 };

/** Makes entries of what is stored, when they are read: what happens costs nothing while nobody looks. */
export class Entries {
  readonly #context: Pick<Context, "store" | "oracles">;
  readonly #contracts: KnownContracts;

  constructor(context: Pick<Context, "store" | "oracles" | "contracts">) {
    this.#context = context;
    this.#contracts = new KnownContracts(context.contracts);
  }

  of(row: TimelineRow): TimelineEntry {
    const id = idAt(this.#context.store.timeline, row.sequence);
    const part = row.event === undefined ? this.#without(row) : this.#ofEvent(JSON.parse(row.event), row);
    const shortened = Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, typeof value === "string" ? short(value) : value]),
    );
    return defined({ id, at: new Date(row.at).toISOString(), ...shortened }) as TimelineEntry;
  }

  /** What has no event of its own. */
  #without({ kind, facts, sequence }: TimelineRow): Part {
    switch (kind) {
      case "channel": {
        const { channel_id, name, status } = facts;
        return { kind, subject: String(channel_id), channel_id, channel: name, name, status };
      }
      case "wallet":
        return this.#wallet(String(facts.wallet_id), facts);
      case "reorganization":
        return { kind, subject: `reorganization ${sequence}`, replaced: facts };
      default:
        return { kind: "injected", subject: `injected ${sequence}`, injected: facts };
    }
  }

  #ofEvent({ headers, payload, channel_id }: EventEnvelope, { facts }: TimelineRow): Part {
    const { store, oracles } = this.#context;
    const fields: Fields = payload;
    const proof = headers.proofs?.[0] as OcrProof | undefined;
    const where = {
      channel_id,
      channel: store.channels.get(String(channel_id))?.name,
      offset: headers.offset,
      delivery: facts.event,
      proof:
        proof === undefined
          ? undefined
          : defined({
              signatures: proof.signatures.length,
              required: oracles.minRequiredSignatures,
              change: facts.proof,
            }),
    };
    switch (headers.type) {
      case "operation.status":
        return { ...where, ...this.#operation(fields) };
      case "query.status":
        return { ...where, ...this.#query(fields) };
      case "wallet.status":
        return { ...where, ...this.#wallet(String(fields.wallet_id), fields) };
      case "watcher.status":
        return { ...where, ...this.#watcher(fields) };
      default:
        return { ...where, ...this.#chainEvent(fields) };
    }
  }

  #operation({ operation_id, status, status_reason, transactions }: Fields): Part {
    const { store } = this.#context;
    const stored = store.operations.get(String(operation_id));
    const calls = transactions as readonly Transaction[];
    return {
      kind: "operation",
      subject: String(operation_id),
      status,
      reason: status_reason || undefined,
      wallet: stored === undefined ? undefined : store.wallets.get(stored.walletId)?.name,
      calls: calls.slice(0, SHOWN_CALLS).map((call) => this.#contracts.call(call)),
      calls_total: calls.length,
      transaction_hash: ON_CHAIN.includes(String(status)) ? stored?.sent?.hash : undefined,
    };
  }

  #query(payload: Fields): Part {
    const { query_id, status, target } = payload;
    const data = fieldsOf(readSignedPayload("query.status", payload).content?.data);
    return {
      kind: "query",
      subject: String(query_id),
      status,
      reason: fieldsOf(data.error).message,
      contract: typeof target === "string" ? this.#contracts.nameOf(target) : undefined,
    };
  }

  #wallet(walletId: string, { status, reason, status_reason }: Fields): Part {
    return {
      kind: "wallet",
      subject: walletId,
      name: this.#context.store.wallets.get(walletId)?.name,
      status,
      reason: (reason ?? status_reason) || undefined,
    };
  }

  #watcher({ watcher_id, status, status_reason }: Fields): Part {
    const watcher = this.#context.store.watchers.get(String(watcher_id));
    return {
      kind: "watcher",
      subject: String(watcher_id),
      name: watcher?.name,
      contract: watcher === undefined ? undefined : this.#contracts.nameOf(watcher.address),
      status,
      reason: status_reason || undefined,
    };
  }

  #chainEvent(payload: Fields): Part {
    const watcherId = String(payload.watcher_id);
    const content = readSignedPayload("watcher.event", payload).content ?? {};
    const log = fieldsOf(content.chain_event);
    const address = String(log.address);
    const data = fieldsOf(content.data);
    const ofService =
      typeof data.amount === "string" && typeof data.symbol === "string"
        ? { value: data.amount, symbol: short(data.symbol) }
        : undefined;
    return {
      kind: "event",
      // One log is reported once for each confidence level.
      subject: `${watcherId} ${log.tx_hash} ${log.log_index}`,
      name: content.name,
      watcher: this.#context.store.watchers.get(watcherId)?.name,
      contract: this.#contracts.nameOf(address),
      amount: this.#contracts.amount(address, fieldsOf(log.params).value) ?? ofService,
      status: log.confidence,
      transaction_hash: log.tx_hash,
      block_number: String(log.block_number),
    };
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

/** Names the demo contracts, and what is done with them. */
class KnownContracts {
  readonly #names: ReadonlyMap<string, (typeof DEPLOYED_NAMES)[number]>;

  constructor(contracts: Deployed) {
    this.#names = new Map(DEPLOYED_NAMES.map((name) => [contracts[name].toLowerCase(), name]));
  }

  /** The name of a demo contract; of another one its address. */
  nameOf(address: string): string {
    return this.#names.get(address.toLowerCase()) ?? address;
  }

  /** `value` of a token in its smallest unit, in tokens. Undefined for other contracts and values. */
  amount(address: string, value: unknown): Amount | undefined {
    const token = TOKENS[this.nameOf(address)];
    const digits = String(value);
    return token !== undefined && /^\d+$/.test(digits) ? amountOf(BigInt(digits), token) : undefined;
  }

  /** What a transaction of an operation does. */
  call({ to, value, data }: Transaction): Call {
    const name = this.#names.get(to.toLowerCase());
    const contract = this.nameOf(to);
    const decoded = name === undefined ? undefined : decodedCall(name, data);
    const amount = decoded === undefined ? undefined : this.amount(to, decoded.value);
    const paid = BigInt(value) > 0n ? amountOf(BigInt(value), COIN) : undefined;
    return {
      contract,
      ...(decoded === undefined ? {} : { action: decoded.action }),
      ...((amount ?? paid) === undefined ? {} : { amount: amount ?? paid }),
    } as Call;
  }
}

function amountOf(value: bigint, { symbol, decimals }: { symbol: string; decimals: number }): Amount {
  return { value: formatUnits(value, decimals), symbol };
}

/** The function, and its argument `value`. Undefined where the contract does not have the function. */
function decodedCall(
  name: (typeof DEPLOYED_NAMES)[number],
  data: string,
): { action: string; value: unknown } | undefined {
  const found = functionsOf(name).get(data.slice(0, SELECTOR_LENGTH).toLowerCase());
  if (found === undefined) return undefined;
  try {
    const values: readonly unknown[] = decodeAbiParameters(found.inputs, `0x${data.slice(SELECTOR_LENGTH)}`);
    return { action: found.name, value: values[found.inputs.findIndex((input) => input.name === "value")] };
  } catch {
    // A user's call data can be anything.
    return undefined;
  }
}

const known = new Map<string, ReadonlyMap<string, AbiFunction>>();

/** The functions of a contract by selector. To compute the selectors for each call would take most of the time. */
function functionsOf(name: (typeof DEPLOYED_NAMES)[number]): ReadonlyMap<string, AbiFunction> {
  const before = known.get(name);
  if (before !== undefined) return before;
  const functions = artifact(name).abi.filter((item) => item.type === "function");
  const bySelector = new Map(functions.map((item) => [toFunctionSelector(item), item]));
  known.set(name, bySelector);
  return bySelector;
}
