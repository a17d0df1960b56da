import { createHash } from "node:crypto";
import Type from "typebox";
import type { Network } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { confidenceLevelOf, networksOf } from "../lookup.ts";
import { documented } from "./openapi.ts";
import { NetworkAnswer, pageOf } from "./resources.ts";
import type { Routes } from "./routes.ts";

/** In the description of every create that names a network. */
export const NO_NETWORK = "`CHAIN_UNAVAILABLE`: the service does not have this network.";

const Health = Type.Object(
  { status: Type.String() },
  {
    title: "Health",
    description: "the service is up: `ok`, or `chain_not_followed` while it cannot read the chain",
  },
);

export function networkRoutes(app: Routes, context: Context): void {
  app.get(
    "/networks",
    documented("networks", "listNetworks", {
      summary: "The networks on which there can be watchers, wallets, operations and queries",
      answers: { 200: pageOf("NetworkList", NetworkAnswer) },
    }),
    () => ({ data: networksOf(context).map((network) => shownNetwork(context, network)), has_more: false }),
  );
}

export function healthRoute(app: Routes, { following }: Context): void {
  app.get(
    "/health-check",
    documented("health", "checkHealth", {
      summary: "Whether the service is up; needs no key",
      security: [],
      answers: { 200: Health },
    }),
    () => ({ status: following.problem === undefined ? "ok" : "chain_not_followed" }),
  );
}

/** With a UUID as its id, which is always the same for a chain. */
export function shownNetwork(context: Context, network: Network): Network {
  const digits = createHash("sha256").update(`network ${network.chain_selector}`).digest("hex");
  const id = digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
  return { ...network, id, default_confidence_level: confidenceLevelOf(context) };
}
