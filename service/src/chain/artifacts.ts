import { readFileSync } from "node:fs";
import type { Abi, Hex } from "viem";
import { ownFile } from "../own-files.ts";

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

const loaded = new Map<ContractName, Artifact>();

/** ABI and creation bytecode of a demo contract. */
export function artifact(name: ContractName): Artifact {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const read = JSON.parse(readFileSync(ownFile(`contracts/artifacts/${name}.json`), "utf8")) as Artifact;
  loaded.set(name, read);
  return read;
}

/** All custom errors of the demo contracts, to decode reverts. */
export function knownErrors(): Abi {
  return CONTRACT_NAMES.flatMap((name) => artifact(name).abi.filter((item) => item.type === "error"));
}
