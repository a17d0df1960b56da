import { randomBytes } from "node:crypto";
import { privateKeyToAddress } from "viem/accounts";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import { ServiceProblem } from "../problem.ts";
import { secretFile } from "../secret-file.ts";
import { seededBytes } from "../seeded-bytes.ts";

export type Oracle = { privateKey: Hex; address: Address };

const ORACLES = 7;

/**
 * The simulated oracle network of a data directory: made at its first start, by a seed if there is one, and found again
 * later.
 *
 * @throws ServiceProblem when the file is damaged, or has other keys than the seed gives.
 */
export function oracleKeys(file: string, seed?: number): Oracle[] {
  const oracles = readOracles(file, () => newKeys(seed));
  const keys = JSON.stringify(oracles.map(({ privateKey }) => privateKey));
  if (seed === undefined || keys === newKeys(seed)) return oracles;
  throw new ServiceProblem(
    `The oracle keys in ${file} are not those of the seed ${seed}. Choose another data directory with --data-dir or CREC_DATA_DIR, or start without a seed.`,
  );
}

function readOracles(file: string, make: () => string): Oracle[] {
  try {
    const keys = JSON.parse(secretFile(file, make)) as Hex[];
    return keys.map((privateKey) => ({ privateKey, address: privateKeyToAddress(privateKey) }));
  } catch {
    // Not what went wrong: it would quote from the keys.
    throw new ServiceProblem(
      `The oracle keys in ${file} cannot be used. Restore the file, or remove the data directory to start afresh.`,
    );
  }
}

function newKeys(seed: number | undefined): string {
  const newKey = (_: unknown, index: number) =>
    seed === undefined ? randomBytes(32) : seededBytes(seed, `oracle ${index}`);
  return JSON.stringify(Array.from({ length: ORACLES }, newKey).map((key) => `0x${key.toString("hex")}`));
}
