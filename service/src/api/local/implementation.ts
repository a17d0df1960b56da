import Type from "typebox";
import { checksumAddress } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import type { Context } from "../../context.ts";
import { implementationOf } from "../../lifecycles/operations/implementations.ts";
import type { Routes } from "../routes.ts";
import { Address } from "../schemas.ts";

const Implementation = Type.Object(
  { address: Address, implementation: Type.Optional(Address) },
  { title: "Implementation", description: "the implementation of a proxy; without one, there is none" },
);

/** Tells the contract whose code a proxy of ERC-1967 runs: a preview shows it. */
export function implementationRoutes(app: Routes, { chain }: Context): void {
  app.get(
    "/implementation",
    {
      schema: {
        tags: ["local"],
        operationId: "getImplementation",
        summary: "Tells the implementation of a proxy of ERC-1967 at an address",
        querystring: Type.Object({ address: Address }),
        answers: { 200: Implementation, 409: "`CHAIN_UNAVAILABLE`: the chain does not answer." },
      },
    },
    async ({ query }) => {
      const address = checksumAddress(query.address as Hex);
      const implementation = await implementationOf(chain, address);
      return { address, ...(implementation === undefined ? {} : { implementation }) };
    },
  );
}
