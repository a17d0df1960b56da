import { readFileSync } from "node:fs";
import { type Abi, encodeDeployData, getContractAddress, parseTransaction } from "viem";
import type { Address, EventFragment, Hex } from "../../../../src/protocol/index.ts";
import { ownFile } from "../../own-files.ts";
import type { Settings } from "../../store/settings.ts";
import type { Chain } from "../chain.ts";
import { awaitReceipt, type Sender } from "../relayer.ts";

const CONTRACT_NAMES = [
  "DemoToken",
  "Counter",
  "SensorRegistry",
  "GuardedToken",
  "DemoDvp",
  "DemoDta",
  "SmartAccountFactory",
  "SmartAccount",
] as const;
export type ContractName = (typeof CONTRACT_NAMES)[number];

type Artifact = { abi: Abi; bytecode: Hex };

export const DEPLOYED_NAMES = [
  "DemoToken",
  "Counter",
  "SensorRegistry",
  "SmartAccountFactory",
  "GuardedToken",
  "DemoDvp",
  "DemoDta",
] as const;
export type Deployed = Record<(typeof DEPLOYED_NAMES)[number], Address>;

const FIRST_SUPPLY = 1_000_000n * 10n ** 18n;

const loaded = new Map<ContractName, Artifact>();

/** ABI and creation bytecode of a demo contract. */
export function artifact(name: ContractName): Artifact {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const read = JSON.parse(readFileSync(ownFile(`contracts/artifacts/${name}.json`), "utf8")) as Artifact;
  loaded.set(name, read);
  return read;
}

/** The events of a demo contract. */
export function eventsOf(name: ContractName): EventFragment[] {
  return artifact(name).abi.filter((item) => item.type === "event") as unknown as EventFragment[];
}

/** All custom errors of the demo contracts, to decode reverts. */
export function knownErrors(): Abi {
  return CONTRACT_NAMES.flatMap((name) => artifact(name).abi.filter((item) => item.type === "error"));
}

/**
 * The demo contracts on this chain: those of an earlier start, or newly deployed ones. A chain that was reset or replaced
 * gets them again.
 */
export async function deployedContracts(
  chain: Chain,
  relayer: Sender,
  settings: Settings,
): Promise<Deployed> {
  const key = `contracts:${chain.network.chain_selector}`;
  const known: Partial<Deployed> = settings.get<Partial<Deployed>>(key) ?? {};
  const missing: Array<(typeof DEPLOYED_NAMES)[number]> = [];
  for (const name of DEPLOYED_NAMES) {
    const address = known[name];
    if (address === undefined || (await chain.code(address)) === "0x") missing.push(name);
  }
  const hashes: Array<{ name: ContractName; hash: Hex }> = [];
  for (const name of missing) {
    const { hash, raw } = await relayer.send({
      data: deployData(name, relayer.address, chain.network.chain_selector),
    });
    const nonce = BigInt(parseTransaction(raw).nonce ?? 0);
    known[name] = getContractAddress({ from: relayer.address, nonce });
    hashes.push({ name, hash });
  }
  if (hashes.length > 0 && chain.minesOnRequest) await chain.mine();
  for (const { name, hash } of hashes) {
    const receipt = await awaitReceipt(chain, hash);
    if (!receipt.succeeded) throw new Error(`The contract ${name} could not be deployed.`);
  }
  settings.set(key, known);
  return known as Deployed;
}

function deployData(name: ContractName, relayer: Address, selector: string): Hex {
  const { abi, bytecode } = artifact(name);
  const args: Partial<Record<ContractName, unknown[]>> = {
    DemoToken: [FIRST_SUPPLY],
    GuardedToken: [FIRST_SUPPLY],
    SmartAccountFactory: [relayer],
    DemoDta: [BigInt(selector)],
  };
  return encodeDeployData({ abi: abi as Abi, bytecode, args: args[name] ?? [] });
}
