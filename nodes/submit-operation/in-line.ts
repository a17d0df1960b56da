import type { NodeAPI } from "node-red";
import { type WalletRef, walletOf } from "../common/fields/config-nodes.ts";
import type { FieldReader } from "../common/fields/field-reader.ts";
import type { Task } from "../common/fields/input.ts";
import { processWide } from "../common/process-wide.ts";
import { isOver } from "../common/signing/claims.ts";
import { type Place, WalletLines } from "../common/signing/wallet-lines.ts";
import type { NODE } from "./fields.ts";

/** Of all nodes of this process. */
const lines = processWide("wallet-lines", () => new WalletLines());

/**
 * The place of a message that arrives now, or again. Undefined where the order is not kept: for a draft, and where a person may have
 * to sign, for which nothing waits.
 * @throws QUEUE_FULL
 */
export function placeFor(
  RED: NodeAPI,
  fields: FieldReader<typeof NODE>,
  { arrivedAt, signal }: Pick<Task, "arrivedAt" | "signal">,
  isKept: boolean,
): Place | undefined {
  if (!fields.flag("keepOrder") || fields.choice("mode") === "draft") return undefined;
  const config = fields.settings.wallet ?? "";
  return mayAskPerson(RED, config) ? undefined : lines.join(config, signal, arrivedAt, isKept);
}

/** What is wrong with the wallet is reported where it is used. */
function mayAskPerson(RED: NodeAPI, config: string): boolean {
  try {
    return walletOf(RED.nodes, config).signer().mayAskPerson;
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
