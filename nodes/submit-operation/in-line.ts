import type { NodeAPI } from "node-red";
import { type WalletRef, walletOf } from "../common/fields/config-nodes.ts";
import type { FormContext } from "../common/fields/field-reader.ts";
import type { Task } from "../common/fields/input.ts";
import { processWide } from "../common/process-wide.ts";
import { isOver } from "../common/signing/claims.ts";
import { type Place, WalletLines } from "../common/signing/wallet-lines.ts";
import type { Reserve, Reserved } from "../common/tasks/reserved-places.ts";
import type { NODE } from "./fields.ts";
import { identityOf, keptValue } from "./operation-value.ts";

type SubmitContext = FormContext<typeof NODE>;

/** Of all nodes of this process. */
const lines = processWide("wallet-lines", () => new WalletLines());

/**
 * The place of a message that arrives now, or again with what is kept of it. Undefined where the order is not kept: for a
 * draft, for what was sent before, and where a person may have to sign, for which nothing waits.
 * @throws QUEUE_FULL
 */
export function placeFor(
  context: SubmitContext,
  { arrivedAt, signal }: Pick<Task, "arrivedAt" | "signal">,
  kept: { about?: unknown } | undefined,
): Place | undefined {
  const { RED, fields } = context;
  if (isSent(kept?.about) || !fields.flag("keepOrder") || fields.choice("mode") === "draft") return undefined;
  const config = fields.settings.wallet ?? "";
  return mayAskPerson(RED.nodes, config)
    ? undefined
    : lines.join(config, signal, arrivedAt, kept !== undefined);
}

/** The place of a message that is kept and comes again later. */
export function placeBefore(
  context: SubmitContext,
  ...[arrivedAt, signal, about]: Parameters<Reserve>
): Reserved | undefined {
  const place = placeFor(context, { arrivedAt, signal }, { about });
  if (place && about !== undefined) {
    const { chainSelector, wallet } = identityOf(keptValue(about));
    place.isOf(walletKey({ chainSelector }, wallet));
  }
  const find = async () => {
    const wallet = walletOf(context.RED.nodes, context.fields.settings.wallet);
    place?.isOf(walletKey(wallet, await wallet.address(signal)));
  };
  // What is wrong is reported with a message.
  return place && { leave: place.leave, expects: () => void find().catch(() => {}) };
}

/** Whether what is kept waits for an operation that was sent before, or drafted. */
function isSent(about: unknown): boolean {
  return about !== undefined && keptValue(about).state !== "unsigned";
}

/** What is wrong with the wallet is reported where it is used. */
function mayAskPerson(nodes: NodeAPI["nodes"], config: string): boolean {
  try {
    return walletOf(nodes, config).signer().mayAskPerson;
  } catch {
    return true;
  }
}

/** A wallet in its line, whichever config node names it. */
export function walletKey({ chainSelector }: Pick<WalletRef, "chainSelector">, address: string): string {
  return `${chainSelector} ${address.toLowerCase()}`;
}

/** Thrown before an operation is submitted whose deadline has passed in the line: it is signed anew. */
export class PassedInLine extends Error {}

/**
 * What an operation waits for once it is signed.
 * @param deadline in Unix seconds; 0 for none
 */
export function turnOf(
  place: Place | undefined,
  { timeoutMs, deadline }: { timeoutMs: number; deadline: number },
): (() => Promise<void>) | undefined {
  return (
    place &&
    (async () => {
      await place.turn(timeoutMs);
      if (isOver({ deadline })) throw new PassedInLine();
    })
  );
}
