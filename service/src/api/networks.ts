import { createHash } from "node:crypto";
import { CONFIDENCES, type Confidence, type Network } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { conflict } from "./errors.ts";
import { NetworkAnswer, pageOf } from "./resources.ts";
import type { Routes } from "./routes.ts";

export function networkRoutes(app: Routes, context: Context): void {
  app.get(
    "/networks",
    {
      schema: {
        tags: ["networks"],
        operationId: "listNetworks",
        summary: "The networks on which there can be watchers, wallets, operations and queries",
        answers: { 200: pageOf("NetworkList", NetworkAnswer) },
      },
    },
    () => ({ data: networksOf(context).map((network) => shown(context, network)), has_more: false }),
  );
}

/** With a UUID as its id, which stays the same for a chain. */
function shown(context: Context, network: Network): Network {
  const digits = createHash("sha256").update(`network ${network.chain_selector}`).digest("hex");
  const id = digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
  return { ...network, id, default_confidence_level: confidenceLevelOf(context) };
}

/** The strongest level that the network reports: what its watchers and operations end with. */
export function confidenceLevelOf({ confidences }: Pick<Context, "confidences">): Confidence {
  return CONFIDENCES.findLast((level) => confidences.includes(level)) ?? "latest";
}

/** The networks of an environment, or all. */
export function networksOf({ chain }: Context, environment?: string): Network[] {
  return [chain.network].filter((network) => environment === undefined || network.type === environment);
}

/** Of every create that names a network. */
export const NO_NETWORK = "`CHAIN_UNAVAILABLE`: the service does not have this network.";

/** @throws ApiError 409 `CHAIN_UNAVAILABLE` when no network has this selector. */
export function checkNetwork(context: Context, chainSelector: string): void {
  const networks = networksOf(context);
  if (networks.some((network) => network.chain_selector === chainSelector)) return;
  throw conflict(
    `chain_selector ${chainSelector} is not a network of this service. It has: ${networks.map((network) => `${network.chain_selector} (${network.name})`).join(", ")}.`,
    "CHAIN_UNAVAILABLE",
  );
}
