import * as OxAddress from "ox/Address";
import { ArgumentError } from "../errors.ts";
import { text as textKind } from "../options/index.ts";
import { type Address, isAddress, KNOWN_CHAINS } from "../protocol/index.ts";
import { signatureHash } from "./abi-type.ts";

/** Rootstock has checksums of its own; another network may follow it. */
const CHAIN_IDS: readonly string[] = ["30", "31", ...KNOWN_CHAINS.map(({ chainId }) => chainId)];

/**
 * An address with its checksum. Addresses in lower or upper case are accepted without one.
 *
 * @param path the name of the value in errors
 * @throws ArgumentError `INVALID_ADDRESS` when it is not an address, or in mixed case with a wrong checksum, or one that is right on one chain only.
 * @example
 * checksumAddress("0x5b571a50ac6cb524730c8419ebe452703139809a", "to"); // → "0x5b571A50AC6cB524730C8419EBe452703139809A"
 */
export function checksumAddress(text: string, path: string): Address {
  const trimmed = typeof text === "string" ? text.trim() : "";
  textKind(path, "path");
  if (!isAddress(trimmed)) {
    throw invalid(path, `${path} must be an address: 0x and 40 hex digits.`);
  }
  const digits = trimmed.slice(2);
  const checksummed = OxAddress.checksum(trimmed);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!oneCase && trimmed !== checksummed) {
    const chain = CHAIN_IDS.find((id) => checksumOn(id, digits) === digits);
    if (chain !== undefined)
      throw invalid(
        path,
        `${path} has the checksum that EIP-1191 gives it on chain ${chain}, which is wrong elsewhere. Give it in lower case.`,
      );
    throw invalid(path, `${path} has a wrong checksum, so a character may be wrong; copy the address again.`);
  }
  return checksummed;
}

function checksumOn(chainId: string, digits: string): string {
  const lower = digits.toLowerCase();
  const hash = signatureHash(`${chainId}0x${lower}`).slice(2);
  return lower.replace(/[a-f]/g, (digit, at: number) =>
    (hash[at] ?? "0") >= "8" ? digit.toUpperCase() : digit,
  );
}

function invalid(path: string, message: string): ArgumentError {
  return new ArgumentError(path, message, { code: "INVALID_ADDRESS" });
}
