import { randomBytes } from "node:crypto";
import { privateKeyToAddress } from "viem/accounts";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import { ServiceProblem } from "../problem.ts";
import { secretFile } from "../secret-file.ts";

export type Oracle = { privateKey: Hex; address: Address };

const ORACLES = 7;

/** The simulated oracle network of a data directory: made at its first start, found again later. */
export function oracleKeys(file: string): Oracle[] {
  try {
    const keys = JSON.parse(secretFile(file, newKeys)) as Hex[];
    return keys.map((privateKey) => ({ privateKey, address: privateKeyToAddress(privateKey) }));
  } catch {
    // Not what went wrong: it would quote from the keys.
    throw new ServiceProblem(
      `The oracle keys in ${file} cannot be used. Restore the file, or remove the data directory to start afresh.`,
    );
  }
}

function newKeys(): string {
  return JSON.stringify(Array.from({ length: ORACLES }, () => `0x${randomBytes(32).toString("hex")}`));
}
