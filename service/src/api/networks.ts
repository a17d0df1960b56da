import type { Network } from "../../../src/protocol/index.ts";
import type { Context } from "../context.ts";
import { invalid } from "./errors.ts";
import type { Routes } from "./routes.ts";

export function networkRoutes(app: Routes, context: Context): void {
  app.get("/networks", { schema: { tags: ["networks"] } }, () => ({
    data: networksOf(context),
    has_more: false,
  }));
}

/** The networks of an environment, or all. */
export function networksOf({ chain }: Context, environment?: string): Network[] {
  return [chain.network].filter((network) => environment === undefined || network.type === environment);
}

/** @throws ApiError 400 when no network has this selector. */
export function checkNetwork(context: Context, chainSelector: string): void {
  const networks = networksOf(context);
  if (networks.some((network) => network.chain_selector === chainSelector)) return;
  throw invalid(
    `chain_selector ${chainSelector} is not a network of this service. It has: ${networks.map((network) => `${network.chain_selector} (${network.name})`).join(", ")}.`,
  );
}
