import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Hex } from "../../src/protocol/index.ts";
import type { Chain } from "./chain/chain.ts";
import { inCoins } from "./chain/funds.ts";
import { fundRelayer, Relayer } from "./chain/relayer.ts";
import { ServiceProblem } from "./errors.ts";
import type { Log } from "./log.ts";
import { secretFile } from "./secrets.ts";

/** Account 0 of every anvil. */
const ANVIL_KEY: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** On the service's own chain, anvil's first account pays. On another chain the service has its own account. */
export async function startRelayer(
  chain: Chain,
  dataDir: string,
  ownChain: boolean,
  givenKey: string | undefined,
  log: Log,
): Promise<Relayer> {
  if (ownChain) return new Relayer(chain, ANVIL_KEY, log);
  const key = givenKey === undefined ? relayerKey(dataDir) : privateKey(givenKey);
  const relayer = new Relayer(chain, key, log);
  if (!(await fundRelayer(chain, relayer.address))) {
    throw new ServiceProblem(
      `The service's account ${relayer.address} on chain ${chain.network.chain_id} holds ${inCoins(0n, chain.network.chain_id)}, and pays gas with it. Send it some, then start again.`,
    );
  }
  return relayer;
}

function privateKey(key: string): Hex {
  if (isPrivateKey(key)) return key;
  throw new ServiceProblem("CREC_RELAYER_KEY must be a private key: 0x and 64 hex digits.");
}

function relayerKey(dataDir: string): Hex {
  const file = join(dataDir, "relayer-key");
  const key = secretFile(file, () => `0x${randomBytes(32).toString("hex")}`);
  if (isPrivateKey(key)) return key;
  throw new ServiceProblem(
    `The key of the service's account in ${file} is damaged. Restore the file, or remove it to get a new account; the coins of the old account are then lost.`,
  );
}

function isPrivateKey(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
