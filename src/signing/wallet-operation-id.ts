import { randomBytes } from "node:crypto";

/** A fresh operation id: 128 random bits as decimal text, since two clocks may show the same time. */
export function randomWalletOperationId(): string {
  return BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
}
