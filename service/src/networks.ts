import { CONFIDENCES, type Confidence, type Network } from "../../src/protocol/index.ts";
import { conflict } from "./api-error.ts";
import type { Context } from "./context.ts";

/** The strongest level that the network reports: where its operations end. */
export function confidenceLevelOf({ confidences }: Pick<Context, "confidences">): Confidence {
  return CONFIDENCES.findLast((level) => confidences.includes(level)) ?? "latest";
}

/** The networks of an environment, or all. */
export function networksOf({ chain }: Context, environment?: string): Network[] {
  return [chain.network].filter((network) => environment === undefined || network.type === environment);
}

/** @throws ApiError 409 `CHAIN_UNAVAILABLE` when no network has this selector. */
export function checkNetwork(context: Context, chainSelector: string): void {
  const networks = networksOf(context);
  if (networks.some((network) => network.chain_selector === chainSelector)) return;
  throw conflict(
    `chain_selector ${chainSelector} is not a network of this service. It has: ${networks.map((network) => `${network.chain_selector} (${network.name})`).join(", ")}.`,
    "CHAIN_UNAVAILABLE",
  );
}
