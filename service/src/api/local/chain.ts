import Type from "typebox";
import { checksumAddress } from "viem";
import { type Hex, ZERO_ADDRESS } from "../../../../src/protocol/index.ts";
import { Traffic } from "../../chain/demo/traffic.ts";
import { payOut, TransactionRefused } from "../../chain/demo/transactions.ts";
import { isRefusal } from "../../chain/node/refusals.ts";
import type { Context } from "../../context.ts";
import { conflict, invalid, messageOf } from "../../errors.ts";
import { implementationOf } from "../../lifecycles/operations/implementations.ts";
import { documented } from "../openapi.ts";
import type { Routes } from "../routes.ts";
import { Address, Amount, STRICT, uint256, wholeNumber } from "../schemas.ts";

/** The default receiver of tokens: an address without an owner. */
const DEFAULT_RECEIVER = "0x000000000000000000000000000000000000dEaD";
const ONE_TOKEN = "1000000000000000000";
const MAX_PER_SECOND = 100;

const Payment = Type.Object(
  {
    to: Type.Optional(Address),
    amount: Type.Optional(Amount),
    token: Type.Optional(
      Type.Union([Type.Literal("native"), Address], { description: '"native" or a token\'s address' }),
    ),
  },
  { title: "Payment", ...STRICT },
);
const Paid = Type.Object(
  {
    transaction_hash: Type.String(),
    block_number: Type.Integer(),
    token: Type.String(),
    from: Type.String(),
    to: Type.String(),
    amount: Type.String(),
  },
  { title: "Paid", description: "the transfer, which is in a block" },
);
const Head = Type.Object({ latest: Type.Integer() }, { title: "Head", description: "the newest block" });
const BlockTime = Type.Integer({
  minimum: 1,
  maximum: 3_600_000,
  description: "a whole number of milliseconds from 1 to 3600000: the time between empty blocks",
});
const NewSpeed = Type.Object(
  {
    blockTimeMs: Type.Optional(BlockTime),
    hold: Type.Boolean({
      default: false,
      description: "true or false: whether a transaction waits until the interval ends, not mined at once",
    }),
  },
  { title: "NewSpeed", ...STRICT },
);
const Speed = Type.Object({ blockTimeMs: BlockTime, hold: Type.Boolean() }, { title: "Speed" });
const Rates = Type.Object(
  { transfersPerSecond: rate(), readingsPerSecond: rate() },
  { title: "TrafficRates", description: "how many of each per second", ...STRICT },
);
const FOREIGN_CHAIN = "The chain is not a development chain, or makes no blocks on request.";

const Implementation = Type.Object(
  { address: Address, implementation: Type.Optional(Address) },
  { title: "Implementation", description: "the implementation of a proxy; without one, there is none" },
);

/** Controls the chain: coins, blocks, reorganizations, speed, traffic. */
export function chainRoutes(app: Routes, context: Context): void {
  const traffic = new Traffic(context);
  app.addHook("preClose", () => traffic.stop());

  /** @throws ApiError 409 where the service's coins have a value. */
  const refuseOnForeignChain = () => {
    if (context.chain.isDevelopment) return;
    throw conflict(
      "This works on a development chain only. On this one the service's account only pays for gas.",
    );
  };
  /** @throws ApiError 409 where the node makes blocks itself. */
  const refuseWithoutMining = () => {
    if (context.chain.minesOnRequest) return;
    throw conflict(
      "The node makes blocks itself, not on request. Use anvil, Hardhat or Ganache to make blocks.",
    );
  };
  const newHead = async () => {
    const { chain } = context;
    const { latest } = await chain.atNewHead(() => chain.heads());
    context.ticker.keepBusyUntil(latest.number);
    context.ticker.wake();
    return { latest: latest.number };
  };

  app.post(
    "/faucet",
    documented("local", "faucet", {
      summary: "Pays demo tokens or coins, by a real transfer",
      body: Payment,
      answers: { 200: Paid, 409: FOREIGN_CHAIN },
    }),
    async (request) => {
      const { to = DEFAULT_RECEIVER, amount = ONE_TOKEN, token = context.contracts.DemoToken } = request.body;
      // The demo token can be given away on any chain.
      if (token.toLowerCase() !== context.contracts.DemoToken.toLowerCase()) refuseOnForeignChain();
      if (to === ZERO_ADDRESS) throw invalid("to must not be the zero address.");
      const paid = uint256("amount", amount);
      try {
        return await payOut(context, {
          to: checksumAddress(to as `0x${string}`),
          amount: paid,
          token: token === "native" ? token : checksumAddress(token as `0x${string}`),
        });
      } catch (error) {
        if (!(error instanceof TransactionRefused)) throw error;
        throw invalid(`This payment is not possible: ${error.message}. Ask for less, or for another token.`);
      }
    },
  );

  app.post(
    "/mine",
    documented("local", "mine", {
      summary: "Makes blocks",
      body: Type.Object({
        blocks: wholeNumber(1, 1000, 1),
      }),
      answers: { 200: Head, 409: FOREIGN_CHAIN },
    }),
    async (request) => {
      refuseWithoutMining();
      await context.chain.mine(request.body.blocks);
      return await newHead();
    },
  );

  app.post(
    "/reorg",
    documented("local", "reorg", {
      summary: "Replaces the newest blocks by empty ones, without their transactions",
      body: Type.Object({
        depth: wholeNumber(1, 64, 1),
      }),
      answers: { 200: Head, 409: FOREIGN_CHAIN },
    }),
    async (request) => {
      refuseOnForeignChain();
      try {
        await context.chain.reorganize(request.body.depth);
      } catch (error) {
        if (isRefusal(error))
          throw invalid(
            `The node refuses this reorganization: ${messageOf(error)}. Ask for fewer blocks. Only anvil supports it.`,
          );
        throw error;
      }
      return await newHead();
    },
  );

  app.post(
    "/speed",
    documented("local", "setSpeed", {
      summary:
        "Sets the time between empty blocks. A waiting transaction is mined at once, or with hold at the end of the interval",
      body: NewSpeed,
      answers: { 200: Speed, 409: FOREIGN_CHAIN },
    }),
    (request) => {
      refuseWithoutMining();
      const { ticker } = context;
      const { blockTimeMs = ticker.intervalMs, hold } = request.body;
      ticker.setInterval(blockTimeMs, hold);
      return { blockTimeMs: ticker.intervalMs, hold: ticker.holds };
    },
  );

  app.post(
    "/traffic",
    documented("local", "setTraffic", {
      summary: "Sends transfers of the demo token and sensor readings at these rates",
      body: Rates,
      answers: { 200: Rates, 409: FOREIGN_CHAIN },
    }),
    (request) => {
      refuseOnForeignChain();
      traffic.setRates(request.body);
      return traffic.rates;
    },
  );
}

/** Milliseconds between blocks; null where the node makes blocks itself. */
export function blockTimeOf({ chain, ticker }: Context): number | null {
  return chain.minesOnRequest ? ticker.intervalMs : null;
}

function rate() {
  return Type.Number({
    minimum: 0,
    maximum: MAX_PER_SECOND,
    default: 0,
    description: `a number from 0 to ${MAX_PER_SECOND}`,
  });
}

/** Tells the contract whose code a proxy of ERC-1967 runs: a preview shows it. */
export function implementationRoutes(app: Routes, { chain }: Context): void {
  app.get(
    "/implementation",
    documented("local", "getImplementation", {
      summary: "Tells the implementation of a proxy of ERC-1967 at an address",
      querystring: Type.Object({ address: Address }),
      answers: { 200: Implementation, 409: "`CHAIN_UNAVAILABLE`: the chain does not answer." },
    }),
    async ({ query }) => {
      const address = checksumAddress(query.address as Hex);
      const implementation = await implementationOf(chain, address);
      return { address, ...(implementation === undefined ? {} : { implementation }) };
    },
  );
}
