import type { Address, Hex } from "../../protocol/index.ts";
import type { SignOptions, SignRequest } from "../signer.ts";
import type { CustodianClient } from "./custodian-client.ts";

/** What the two protocols of remote signers need. */
export type Remote = {
  client: CustodianClient;
  headers: Record<string, string>;
  timeoutMs: number;
};

/** A key of a remote signer. */
export type RemoteKey = {
  address: Address;
  sign(request: SignRequest, options: SignOptions): Promise<Hex>;
};

/** A remote signer at the start of a sentence. */
export const REMOTE = "The remote signer";
