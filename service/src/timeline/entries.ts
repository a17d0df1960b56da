import { readSignedPayload } from "../../../src/proofs/signed-event.ts";
import type { EventEnvelope, OcrProof, OperationStatus } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { defined } from "../store/rows.ts";
import type { TimelineRow } from "../store/timeline.ts";
import { KnownContracts, type Transaction } from "./contracts.ts";
import type { TimelineEntry } from "./entry.ts";
import { idAt } from "./position.ts";

type Fields = Readonly<Record<string, unknown>>;
type Part = Partial<Record<keyof TimelineEntry, unknown>> & Pick<TimelineEntry, "kind" | "subject">;

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
