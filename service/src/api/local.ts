import Type from "typebox";
import { checksumAddress } from "viem";
import { ZERO_ADDRESS } from "../../../src/protocol/index.ts";
import { payOut } from "../chain/faucet.ts";
import type { Context } from "../context.ts";
import { conflict, invalid } from "./errors.ts";
import { Fault, type Faults } from "./faults.ts";
import type { Routes } from "./routes.ts";
import { Address } from "./schemas.ts";

/** Where tokens go when nobody says: an address that belongs to no one here. */
const DEFAULT_RECEIVER = "0x000000000000000000000000000000000000dEaD";
const ONE_TOKEN = "1000000000000000000";

/** What a tester needs and the public service has not. */
export function localRoutes(app: Routes, context: Context, faults: Faults): void {
  /** @throws ApiError 409 where blocks are not ours to make and the service's coins not ours to give away. */
  const refuseOnForeignChain = () => {
    if (context.chain.minesOnRequest) return;
    throw conflict(
      "This works on a development chain only. On this one the service's account pays for gas and nothing else.",
    );
  };

  app.get("/status", { schema: { tags: ["local"] } }, async () => {
    const heads = await context.chain.heads();
    return {
      rpc_url: context.chain.rpcUrl,
      chain_id: context.chain.network.chain_id,
      chain_selector: context.chain.network.chain_selector,
      latest: heads.latest.number,
      safe: heads.safe,
      finalized: heads.finalized,
      relayer: context.relayer.address,
      contracts: context.contracts,
      faults: faults.list(),
    };
  });

  app.post(
    "/faucet",
    {
      schema: {
        tags: ["local"],
        body: Type.Object({
          to: Type.Optional(Address),
          amount: Type.Optional(
            Type.String({
              pattern: "^[0-9]{1,78}$",
              description: "an amount in the smallest unit, in decimal digits",
            }),
          ),
          /** A token's address, or "native" for the chain's own coin. */
          token: Type.Optional(
            Type.Union([Type.Literal("native"), Address], { description: '"native" or a token\'s address' }),
          ),
        }),
      },
    },
    async (request) => {
      refuseOnForeignChain();
      const { to = DEFAULT_RECEIVER, amount = ONE_TOKEN, token = context.contracts.DemoToken } = request.body;
      if (to === ZERO_ADDRESS) throw invalid("to must not be the zero address.");
      return await payOut(context, {
        to: checksumAddress(to as `0x${string}`),
        amount: BigInt(amount),
        token: token === "native" ? token : checksumAddress(token as `0x${string}`),
      });
    },
  );

  app.post(
    "/mine",
    {
      schema: {
        tags: ["local"],
        body: Type.Object({ blocks: Type.Integer({ minimum: 1, maximum: 1000, default: 1 }) }),
      },
    },
    async (request) => {
      refuseOnForeignChain();
      await context.chain.mine(request.body.blocks);
      const { latest } = await context.chain.heads();
      context.pulse.keepBusyUntil(latest.number);
      context.pulse.poke();
      return { latest: latest.number };
    },
  );

  app.post(
    "/reorg",
    {
      schema: {
        tags: ["local"],
        body: Type.Object({ depth: Type.Integer({ minimum: 1, maximum: 64, default: 1 }) }),
      },
    },
    async (request) => {
      refuseOnForeignChain();
      await context.chain.rpc("anvil_reorg", [request.body.depth, []]);
      const { latest } = await context.chain.heads();
      context.pulse.keepBusyUntil(latest.number);
      context.pulse.poke();
      return { latest: latest.number };
    },
  );

  app.post("/faults", { schema: { tags: ["local"], body: Fault } }, (request, reply) => {
    faults.add(request.body);
    reply.code(201);
    return { faults: faults.list() };
  });

  app.delete("/faults", { schema: { tags: ["local"] } }, () => {
    faults.clear();
    return { faults: [] };
  });
}
