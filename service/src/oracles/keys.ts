import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { privateKeyToAddress } from "viem/accounts";
import type { Address, Hex } from "../../../src/protocol/index.ts";
import { messageOf, ServiceProblem } from "../problem.ts";

export type Oracle = { privateKey: Hex; address: Address };

const ORACLES = 7;

/** The simulated oracle network of a data directory: made at its first start, found again later. */
export function oracleKeys(file: string): Oracle[] {
  let keys: Hex[];
  try {
    if (existsSync(file)) {
      keys = JSON.parse(readFileSync(file, "utf8")) as Hex[];
    } else {
      keys = Array.from({ length: ORACLES }, (): Hex => `0x${randomBytes(32).toString("hex")}`);
      writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
    }
    return keys.map((privateKey) => ({ privateKey, address: privateKeyToAddress(privateKey) }));
  } catch (error) {
    throw new ServiceProblem(
      `The oracle keys in ${file} cannot be used (${messageOf(error)}). Restore the file, or remove the data directory to start afresh.`,
    );
  }
}
