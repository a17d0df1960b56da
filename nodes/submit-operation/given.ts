import type { CrecClient } from "../../src/index.ts";
import { type Connection, channelOf, walletOf } from "../common/fields/config-nodes.ts";
import type { FormContext } from "../common/fields/field-reader.ts";
import type { Task } from "../common/fields/input.ts";
import { loadLibrary } from "../common/library.ts";
import { errorText } from "../common/messages/error-texts.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { unusualRecipient } from "../common/shared/chain.ts";
import { setNewest } from "../common/shared/collections.ts";
import { translatedError } from "../common/shared/errors.ts";
import type { Asking } from "../common/signing/ask-custodian.ts";
import type { SigningClaims } from "../common/signing/claims.ts";
import type { Place } from "../common/signing/wallet-lines.ts";
import { noteContradiction } from "../common/telemetry/event-report.ts";
import type { FollowedOperation } from "../common/telemetry/operation-reports.ts";
import type { NODE } from "./fields.ts";
import { walletKey } from "./in-line.ts";
import { isUnproven, operationKeyOf, UnderWay } from "./operation-key.ts";
import type { Given } from "./operation-value.ts";
import { contradicting, isFirstReading, type Reading, readingOf } from "./reading.ts";
import { type Doubt, requireContracts } from "./targets.ts";
import { type ReadableTransaction, transactionsOf } from "./transactions.ts";

/** What the code of one submit operation works with. */
export type SubmitContext = FormContext<typeof NODE>;

/** What is known while one message is worked on. */
export type Course = {
  connection: Connection;
  client: CrecClient;
  /** Whether the node shows another message by now. */
  isPast: () => boolean;
  /** Set where the order of messages is kept. */
  place: Place | undefined;
  /** Set where the signature takes time. */
  asking?: Asking;
  /** Set where the wait is in a file already. */
  isKept?: true;
  /** Set once it is known which operation it is. */
  report?: FollowedOperation;
};

/** Addresses that were warned of. */
const MOST_DOUBTED = 100;

/** Makes operations of messages: what the form and a message ask for, once it is found to be usable. */
export class Asked {
  readonly #context: SubmitContext;
  readonly #claims: () => Promise<SigningClaims>;
  readonly #underWay = new UnderWay();
  readonly #doubted = new Map<string, true>();
  #isWarned = false;

  constructor(context: SubmitContext, claims: () => Promise<SigningClaims>) {
    this.#context = context;
    this.#claims = claims;
  }

  async of({ msg, signal }: Task, { connection, client, place }: Course): Promise<Given> {
    const { RED, fields } = this.#context;
    const library = await loadLibrary();
    const { eventKeyOf, randomWalletOperationId, walletOperationIdOf } = library;
    const key = this.#keyOf(msg, eventKeyOf);
    const channel = channelOf(RED.nodes, fields.settings.channel);
    const wallet = walletOf(RED.nodes, fields.settings.wallet);
    const { chainSelector } = wallet;
    // First: until then, it is not known which messages of other nodes are for the same wallet.
    const address = await wallet.address(signal);
    place?.isOf(walletKey(wallet, address));
    const channelId = fields.of(msg).override("channel") ?? (await channel.resolve(signal));
    const where = { connection, client, channelId, signal };
    const transactions = await transactionsOf(this.#context, msg, chainSelector, where);
    if (!fields.flag("allowUnusual")) this.#refuseUnusual(transactions, address);
    const deadline = this.deadline();
    const walletOperationId =
      key === undefined ? randomWalletOperationId() : walletOperationIdOf(key, { chainSelector, address });
    const request = { chain_selector: chainSelector, address, deadline, transactions };
    if (isOfEvent(key, msg)) await this.#requireSameReading(walletOperationId, readingOf(msg, library));
    for (const doubt of await requireContracts(transactions, chainSelector, where)) this.#warnOf(doubt);
    return { channelId, walletOperationId, key, wallet, request };
  }

  /** @throws UNUSUAL_RECIPIENT */
  #refuseUnusual(transactions: readonly ReadableTransaction[], wallet: string): void {
    const { fields, t } = this.#context;
    for (const [index, call] of transactions.entries()) {
      const unusual = unusualRecipient(call, wallet);
      if (!unusual) continue;
      const words = {
        path: `calls[${index}]`,
        problem: t(`common.unusual.${unusual.recipient}`, unusual),
        tick: fields.label("allowUnusual"),
      };
      throw translatedError("UNUSUAL_RECIPIENT", t("common.unusual.refused", words));
    }
  }

  /** Once for each address. */
  #warnOf({ why, ...values }: Doubt): void {
    if (this.#doubted.has(values.address)) return;
    setNewest(this.#doubted, values.address, true, MOST_DOUBTED);
    this.#context.node.warn(this.#context.t(`submit-operation.warning.${why}`, values));
  }

  /**
   * A claim that cannot be stored does not keep an operation from being sent: there is one for each log in any case.
   * @throws CONTRADICTING_EVENT
   */
  async #requireSameReading(walletOperationId: string, reading: Reading | undefined): Promise<void> {
    if (reading === undefined) return;
    const isFirst = await isFirstReading(this.#claims, walletOperationId, reading, (error) =>
      this.#context.node.debug(errorText(error)),
    );
    if (isFirst) return;
    noteContradiction(this.#context.node, reading.log);
    throw contradicting(reading.log);
  }

  deadline(): number {
    return deadlineIn(this.#context.fields.number("deadline"));
  }

  /** The message is done. */
  end(msg: CrecMessage): void {
    this.#underWay.delete(msg);
  }

  #keyOf(msg: CrecMessage, eventKeyOf: (dedupeKey: string) => string): string | undefined {
    const { node, fields, t } = this.#context;
    const onceFor = fields.choice("onceFor");
    const key = operationKeyOf(msg, { onceFor, nodeId: node.id, eventKeyOf });
    if (key === undefined && onceFor === "event" && isUnproven(msg) && !this.#isWarned) {
      this.#isWarned = true;
      node.warn(t("submit-operation.warning.unproven"));
    }
    if (isOfEvent(key, msg) && this.#underWay.add(msg, key)) node.warn(t("submit-operation.warning.copies"));
    return key;
  }
}

/** Whether the key was made of an event; else the flow has set it. */
function isOfEvent(key: string | undefined, { crec }: CrecMessage): key is string {
  return key !== undefined && crec?.operationKey === undefined;
}

/** Unix seconds; 0 for none. */
function deadlineIn(minutes: number): number {
  return minutes === 0 ? 0 : Math.floor(Date.now() / 1000 + minutes * 60);
}
